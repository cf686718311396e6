import { expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { nap, type Sandbox } from './fixture.ts'

export const terminalCases = (engine: Engine, { at, processesOf, read }: Sandbox) => {
  const open = async (argv: readonly string[] = ['env', 'PS1=ready> ', 'sh', '-i'], columns = 101, rows = 37) => {
    const terminal = await engine.terminal(at('one'), { argv, columns, rows })
    const chunks: Buffer[] = []
    let over = false
    terminal.stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    for (const event of ['end', 'close']) {
      terminal.stream.once(event, () => {
        over = true
      })
    }
    const bytes = () => Buffer.concat(chunks)
    return {
      ...terminal,
      bytes,
      type: (text: string) => terminal.stream.write(text),
      sees: (text: string) => expect.poll(() => bytes().toString()).toContain(text),
      isOver: () => expect.poll(() => over).toBe(true),
    }
  }

  it('prompts, echoes and answers', async () => {
    const terminal = await open()
    await terminal.sees('ready> ')
    terminal.type('echo $((6 * 7)) Fähre\r')
    await terminal.sees('echo $((6 * 7)) Fähre\r\n')
    await terminal.sees('42 Fähre\r\n')
    terminal.type('test -t 0 && test -t 1 && test -t 2 && echo "a ""terminal"\r')
    await terminal.sees('a terminal\r\n')
    await terminal.close()
  })

  it('has the size that was asked for, and follows it', async () => {
    const terminal = await open()
    await terminal.sees('ready> ')
    terminal.type('stty size\r')
    await terminal.sees('37 101\r\n')
    await terminal.resize(132, 50)
    terminal.type('stty size\r')
    await terminal.sees('50 132\r\n')
    await terminal.close()
  })

  it('tells the program that the size changed', async () => {
    const terminal = await open(['bash', '--norc', '-c', 'trap "stty size" WINCH; echo waiting; while :; do sleep 0.1; done'])
    await terminal.sees('waiting')
    await terminal.resize(60, 15)
    await terminal.sees('15 60\r\n')
    await terminal.close()
  })

  it('passes every byte on', async () => {
    const every = Array.from({ length: 256 }, (_, value) => value).filter((value) => value !== 10)
    const terminal = await open(['python3', '-c', `import os; os.write(1, b'<<' + bytes(${JSON.stringify(every)}) + b'>>'); input()`])
    await terminal.sees('>>')
    expect(terminal.bytes().toString('latin1')).toContain(`<<${Buffer.from(every).toString('latin1')}>>`)
    await terminal.close()
  })

  it('carries much output', async () => {
    const terminal = await open(['sh', '-c', 'yes "a line of a long log" | head -n 100000; echo the" "end'])
    await terminal.sees('the end\r\n')
    expect(terminal.bytes().length).toBe(100_000 * 'a line of a long log\r\n'.length + 'the end\r\n'.length)
    await terminal.isOver()
    await terminal.close()
  })

  it('interrupts what runs in the foreground', async () => {
    const terminal = await open()
    const slept = nap()
    await terminal.sees('ready> ')
    terminal.type(`${slept}\r`)
    await expect.poll(() => processesOf('one')).toContain(slept)
    terminal.type('\x03')
    await expect.poll(() => processesOf('one')).not.toContain(slept)
    terminal.type('echo still" "here\r')
    await terminal.sees('still here\r\n')
    await terminal.close()
  })

  it('ends with its shell, and can be closed after that', async () => {
    const terminal = await open()
    await terminal.sees('ready> ')
    terminal.type('exit\r')
    await terminal.isOver()
    await terminal.resize(80, 24)
    await terminal.close()
    await terminal.close()
  })

  it.each([
    ['at the prompt', (_: string) => 'true'],
    ['that runs something', (slept: string) => slept],
    ['that runs what ignores a hangup', (slept: string) => `nohup ${slept}`],
    ['that runs a shell in a shell', (slept: string) => `bash --norc -ic "${slept}; true"`],
  ])('close ends a shell %s', async (_, command) => {
    const slept = nap()
    const label = `READY=${slept.replace(' ', '-')}`
    const terminal = await open(['env', label, 'bash', '--norc', '-i'])
    await terminal.sees('# ')
    terminal.type(`echo $READY\r`)
    await terminal.sees(`${label.slice('READY='.length)}\r\n`)
    terminal.type(`${command(slept)}\r`)
    if (command(slept) !== 'true') await expect.poll(() => processesOf('one')).toContain(slept)
    await terminal.close()
    await terminal.isOver()
    const left = async () => (await read('one', 'cat /proc/[0-9]*/environ 2> /dev/null | tr "\\0" "\\n"; true')).includes(label)
    await expect.poll(left).toBe(false)
  })

  it('close ends a shell that has hardly begun', async () => {
    const slept = nap()
    const terminal = await engine.terminal(at('one'), { argv: ['sh', '-c', `${slept}; true`], columns: 80, rows: 24 })
    await terminal.close()
    expect((await processesOf('one')).filter((line) => line.includes(slept))).toEqual([])
  })

  it('close leaves other terminals and daemons alone', async () => {
    const [daemon, other] = [nap(), nap()]
    const [first, second] = [await open(), await open()]
    await first.sees('ready> ')
    await second.sees('ready> ')
    first.type(`setsid ${daemon} < /dev/null > /dev/null 2>&1 &\r`)
    second.type(`${other}\r`)
    await expect.poll(() => processesOf('one')).toEqual(expect.arrayContaining([daemon, other]))
    await first.close()
    expect(await processesOf('one')).toEqual(expect.arrayContaining([daemon, other]))
    await second.close()
    await expect.poll(() => processesOf('one')).not.toContain(other)
  })
}
