// The atomic batch that a request belongs to, passed along inside the process and never by a client.

import { AsyncLocalStorage } from 'node:async_hooks'

const scope = new AsyncLocalStorage<string>()

export const inBatch = <T>(id: string | undefined, work: () => Promise<T>): Promise<T> => (id === undefined ? work() : scope.run(id, work))

export const currentBatch = (): string | undefined => scope.getStore()
