// The one container of an installation in which programs of ours look at services. It is in the engine's process namespace and
// on no network, so that nobody in a sandbox sees such a program, stops it or keeps it from starting. What one of them may
// use is bounded by itself: see the limits in inspect_service.py.

import { call, type Docker, ignoreMissing, statusCodeOf } from './connection.ts'
import { type EngineLimits, watchContainer } from './container.ts'
import { labelFilter } from './labels.ts'

export interface WatchDeps {
  readonly docker: Docker
  readonly installation: string
  readonly image: () => Promise<string>
  readonly limits: () => Promise<EngineLimits>
}

export const createWatch = ({ docker, installation, image, limits }: WatchDeps) => {
  const filters = labelFilter({ installation, role: 'inspector' })
  let known: Promise<string> | undefined

  const remove = async (): Promise<void> => {
    known = undefined
    const found = await call(() => docker.listContainers({ all: true, filters }))
    await Promise.all(found.map(({ Id }) => ignoreMissing(() => docker.getContainer(Id).remove({ force: true }))))
  }

  const find = async (): Promise<string | undefined> => {
    const [found] = await call(() => docker.listContainers({ all: true, filters }))
    if (found === undefined) return undefined
    if (found.State === 'running' && found.Image === (await image())) return found.Id
    await remove()
    return undefined
  }

  const create = async (): Promise<string> => {
    const container = await docker.createContainer(watchContainer(installation, await image(), await limits()))
    await container.start()
    return container.id
  }

  /** Another server of this installation may be making the same one. */
  const findOrCreate = async (): Promise<string> => {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const found = await find()
      if (found !== undefined) return found
      try {
        return await call(create)
      } catch (error) {
        if (statusCodeOf(error) !== 409) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    throw new Error('the inspector could not be started')
  }

  return {
    /** The container's id. Made when it is first needed; a later server finds it. */
    id: (): Promise<string> => {
      known ??= findOrCreate()
      known.catch(() => {
        known = undefined
      })
      return known
    },
    /** It may have ended: the next one who asks looks anew. */
    doubt: () => {
      known = undefined
    },
    remove,
  }
}
