// Answers of the engine whose shape the client library leaves open, or knows only a part of. Each is believed as far as it has
// the shape that is needed here.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { checkValue } from '../../checked-json.ts'
import { call, type Docker } from './connection.ts'

const Info = z.object({
  SecurityOptions: z
    .array(z.string())
    .nullish()
    .transform((options) => options ?? []),
  DockerRootDir: z.string(),
  DefaultRuntime: z.string().optional(),
})
export type EngineInfo = z.infer<typeof Info>

export const readInfo = async (docker: Docker): Promise<EngineInfo> => checkValue(Info, await call(() => docker.info()))

const Wait = z.object({ StatusCode: z.int() })

/** The exit code of a container, once it has ended. */
export const exitCodeOf = async (container: Container): Promise<number> => checkValue(Wait, await call(() => container.wait())).StatusCode

const Config = z.object({ StopSignal: z.string().optional() })
const defaultSignal = 'SIGTERM'
export const stopSignalOf = (config: unknown): string => checkValue(Config, config).StopSignal || defaultSignal

const Volume = z.object({ CreatedAt: z.string().optional() })
export const createdAtOf = (volume: unknown): Date => new Date(checkValue(Volume, volume).CreatedAt ?? 0)

const Sized = z.object({ SizeRw: z.number().optional() })
/** What a container that was listed with its size has written. */
export const writtenBytesOf = (container: unknown): number => checkValue(Sized, container).SizeRw ?? 0

const Driver = z
  .object({ Name: z.string().optional(), Data: z.object({ UpperDir: z.string(), LowerDir: z.string() }).partial().nullish() })
  .nullish()

/** Where a container's own files are, and those of its image, the topmost layer first. */
export interface LayerFolders {
  readonly upper: string
  readonly lowers: readonly string[]
}

const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** The folders of PATH, given the environment of a container. */
export const searchPathOf = (environment: readonly string[]): string[] =>
  (environment.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? standardPath)
    .split(':')
    .filter((folder) => folder !== '')

/** Null where the engine keeps no plain folders for them, or may mark in another way what was deleted. */
export const layersOf = (driver: unknown): LayerFolders | null => {
  const { Name, Data } = checkValue(Driver, driver) ?? {}
  const { UpperDir: upper, LowerDir: lower } = Data ?? {}
  return !(Name === 'overlay2' || Name === 'overlay') || upper === undefined || lower === undefined
    ? null
    : { upper, lowers: lower.split(':') }
}

export const EngineEvent = z.object({
  Type: z.string().optional(),
  Action: z.string().optional(),
  Actor: z
    .object({
      ID: z.string().optional(),
      Attributes: z.object({ container: z.string(), exitCode: z.string(), signal: z.string() }).partial().optional(),
    })
    .optional(),
  time: z.number().optional(),
  timeNano: z.number().optional(),
})
export type EngineEvent = z.infer<typeof EngineEvent>
