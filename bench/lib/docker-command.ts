// Runs docker and docker-compose against the engine that is measured.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { childEnvironment, readConfig } from '../../src/config.ts'
import { socketIn } from '../../src/engine/docker/daemon/paths.ts'

const execute = promisify(execFile)
const { dockerHost, engineDir } = readConfig()
const host = dockerHost ?? (engineDir === undefined ? undefined : `unix://${socketIn(engineDir)}`)

export const runCommand = (program: 'docker' | 'docker-compose', args: readonly string[]) =>
  execute(program, [...args], { env: childEnvironment(host === undefined ? {} : { DOCKER_HOST: host }) })
