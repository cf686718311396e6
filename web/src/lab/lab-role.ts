// As whom the page of a lab asks: as the account that is signed in, or by a token of this lab.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Client, createClient } from '../../../src/client/client.ts'
import type { LabAccess, LabRole } from '../../../src/contract/lab-access.ts'
import { client, unreachableHint } from '../api.ts'

export interface LabAs {
  readonly client: Client
  readonly role: LabRole
  /** Of this lab; an account needs none. */
  readonly token: string | undefined
}

export const asAccount: LabAs = { client, role: 'owner', token: undefined }

export const asHolder = ({ token, role }: LabAccess): LabAs => ({
  ...{ token, role },
  client: createClient({ rootUrl: '', token, unreachableHint }),
})

export const LabAsContext = createContext<LabAs>(asAccount)
export const useLabAs = (): LabAs => useContext(LabAsContext)
