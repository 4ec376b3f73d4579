import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'

export const APPS = join(import.meta.dirname, 'apps')
const MAX_START_MS = 30_000

interface Program {
  command: string
  args: string[]
  folder: string
  environment: Record<string, string>
}

interface Options extends Program {
  /** Where it answers when it has started. */
  home: string
}

/** Runs a program until the test ends, and waits until it answers. */
export const runProgram = (
  t: Pick<TestContext, 'after'>,
  { home, ...program }: Options,
): Promise<{ output(): string }> => runUntilReady(t, { ...program, isReady: () => answers(home) })

/** Runs a program until the test ends, and waits until it is ready. */
export async function runUntilReady(
  t: Pick<TestContext, 'after'>,
  options: Program & { isReady(): Promise<boolean> },
): Promise<{ output(): string }> {
  const child = spawn(options.command, options.args, {
    cwd: options.folder,
    env: { PATH: process.env['PATH'] ?? '', ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  t.after(() => stop(child))
  const deadline = Date.now() + MAX_START_MS
  while (!(await options.isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`It did not start:\n${output}`)
    await setTimeout(50)
  }
  return { output: () => output }
}

/** Runs one of the programs of `apps/`, which imports the packages of the folder that it runs in. */
export const runNodeApp = (
  t: Pick<TestContext, 'after'>,
  file: string,
  options: Omit<Options, 'command' | 'args'>,
): Promise<{ output(): string }> =>
  runProgram(t, {
    ...options,
    command: process.execPath,
    args: ['--input-type=module', '--eval', readFileSync(join(APPS, file), 'utf8')],
  })

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

const answers = (home: string): Promise<boolean> =>
  fetch(home, { redirect: 'manual' }).then(
    () => true,
    () => false,
  )
