// The initial database row of a sandbox, before it has an owner.

import type { Scenario } from '../../catalog/scenario.ts'
import { addMinutes } from '../../clock.ts'
import { createId } from '../../ids.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'

export interface Life {
  readonly now: Date
  readonly lifeMinutes: number
  /** The hard deadline; an extension cannot exceed it. */
  readonly deadlineMinutes: number
}

export interface Server {
  readonly node: string
  readonly bootId: string
}

export const newRow = (scenario: Scenario, seed: string, life: Life, server: Server): SandboxRow => ({
  id: createId(),
  account_id: null,
  address: null,
  course_id: scenario.id,
  seed,
  baseline: null,
  hints_used: 0,
  hints_given: '[]',
  hints_given_at: '[]',
  grading_errors: 0,
  given_up_at: null,
  status: 'starting',
  pool_state: null,
  termination_reason: null,
  termination_by: null,
  termination_note: null,
  containers: JSON.stringify(scenario.containers),
  created_at: life.now.toISOString(),
  expires_at: addMinutes(life.now, life.lifeMinutes).toISOString(),
  deadline: addMinutes(life.now, life.deadlineMinutes).toISOString(),
  ended_at: null,
  node: server.node,
  boot_id: server.bootId,
  request_id: null,
  batch_id: null,
})
