// Runs programs on this machine without showing their output; the last line of standard error becomes the error message.

import { spawn } from 'node:child_process'

export const run = (program: string, args: readonly string[], environment: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-4_000)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(out)
      else reject(new Error(`${program} ${args[0] ?? ''} ended with ${code}: ${complaint.trim().split('\n').at(-1) ?? ''}`))
    })
  })

export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  )

/** Installs Debian packages; apt waits for another apt to finish. */
export const aptInstall = async (packages: readonly string[]): Promise<void> => {
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'update', '-qq'], quiet)
  await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '-qq', '--no-install-recommends', ...packages], quiet)
}
