// A terminal as `docker exec -it` has it.

import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'

export const openDockerTerminal = async (container: Docker.Container): Promise<Duplex> => {
  const exec = await container.exec({ Cmd: ['bash', '-l'], AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: true })
  return exec.start({ hijack: true, stdin: true, Tty: true })
}
