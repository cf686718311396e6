// Lints the checks of a scenario: a verdict must not depend on what a user, who is root in every container, can fake.

import { leavesOf, type Probe } from './probe-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { PathProblem } from './schema-problems.ts'
import { observedSteps } from './steps-file.ts'

/** Every probe of the steps. */
export const observedProbesOf = ({ steps }: ScenarioFile): Probe[] => [
  ...observedSteps.flatMap((step) => steps[step]),
  ...steps.stable_under_load.afterwards,
]

/** Folders whose files come from Debian packages. */
const packaged = /^\/(usr|bin|sbin|lib)\//
/** Folders whose files the sandbox itself writes. */
const hearsay = /^\/(tmp|run|var\/log|var\/run|root|home)\//

const executablesOf = (file: ScenarioFile): string[] => [
  ...Object.values(file.services).flatMap((service) => service.must_run),
  ...observedProbesOf(file)
    .flatMap(leavesOf)
    .flatMap(({ kind, spec }) => kind.executables?.(spec) ?? []),
]

export const lintTrust = (file: ScenarioFile): PathProblem[] => {
  const problems: PathProblem[] = []
  const say = (path: readonly PropertyKey[], message: string) => problems.push({ path, message })
  const { service_recovered, data_preserved, survives_restart } = file.steps
  const leaves = observedProbesOf(file).flatMap(leavesOf)

  if (leaves.some(({ kind }) => kind.from === 'the service'))
    say(['steps'], 'a step trusts a program of the sandbox (exec): use file, process, listener or script')
  for (const path of leaves.flatMap(({ kind, spec }) => kind.reads?.(spec) ?? []).filter((read) => hearsay.test(read)))
    say(['steps'], `a step trusts ${path}, which anybody in the sandbox may have written`)
  for (const executable of new Set(executablesOf(file).filter((path) => !packaged.test(path))))
    say(['services'], `${executable} is not in a folder of Debian packages: nothing shows that it is the authored program`)
  if (!JSON.stringify(service_recovered).includes('{{nonce}}'))
    say(['steps', 'service_recovered'], 'has no {{nonce}}: a canned answer would pass')
  const hasRecords = Object.keys(file.records).length > 0
  if (!hasRecords && Object.keys(file.baseline).length === 0) say(['baseline'], 'there is no baseline: lost data would go unnoticed')
  else if (!hasRecords && !JSON.stringify(data_preserved).includes('{{baseline.'))
    say(['steps', 'data_preserved'], 'compares with no {{baseline.…}}: lost data would go unnoticed')
  if (Object.values(file.services).every((service) => service.must_run.length === 0))
    say(['services'], 'no service has must_run: a stub would pass for the real service')
  const restarted = survives_restart.restart ?? Object.keys(file.services).filter((name) => name !== file.workstation)
  for (const name of restarted.filter((service) => file.services[service]?.must_run.length === 0))
    say(['services', name], `${name} is restarted and has no must_run: a stub would pass for it`)
  for (const step of ['service_recovered', 'safeguards_kept'] as const)
    if (!survives_restart.then.includes(step)) say(['steps', 'survives_restart', 'then'], `does not repeat ${step}`)
  return problems
}
