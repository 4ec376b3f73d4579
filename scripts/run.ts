import { spawn } from 'node:child_process'
import { constants } from 'node:os'

interface Options {
  quiet?: boolean
  /** A program that prints nothing for this long hangs, and is stopped. */
  maxSilenceMs?: number
}

const KILL_AFTER_MS = 10_000

/** Each program leads its own process group, so that everything it has started is stopped with it. */
const running = new Set<number>()
let interruptedBy: NodeJS.Signals | undefined

// Ctrl+C of the terminal does not reach other process groups, so it is passed on.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (running.size === 0) process.exit(exitCodeOf(signal))
    interruptedBy = signal
    for (const leader of running) signalGroup(leader, signal)
  })
}

/** Runs a program until it exits. Its output is shown as it comes, and returned with its exit code. */
export function run(
  command: string,
  args: string[],
  { quiet = false, maxSilenceMs = Infinity }: Options = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const leader = child.pid
    if (leader !== undefined) running.add(leader)
    let silence: NodeJS.Timeout | undefined
    const restartTimer = () => {
      clearTimeout(silence)
      if (leader !== undefined && Number.isFinite(maxSilenceMs)) {
        silence = setTimeout(() => stopHung(leader, maxSilenceMs), maxSilenceMs)
      }
    }
    let output = ''
    const collect = (chunk: Buffer, stream: NodeJS.WriteStream) => {
      restartTimer()
      output += chunk.toString()
      if (!quiet) stream.write(chunk)
    }
    restartTimer()
    child.stdout.on('data', (chunk: Buffer) => collect(chunk, process.stdout))
    child.stderr.on('data', (chunk: Buffer) => collect(chunk, process.stderr))
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(silence)
      if (leader !== undefined) running.delete(leader)
      if (!interruptedBy) resolve({ code: code ?? 1, output })
      else if (running.size === 0) process.exit(exitCodeOf(interruptedBy))
    })
  })
}

const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

function stopHung(leader: number, silenceMs: number): void {
  process.stderr.write(`\nNothing was printed for ${silenceMs / 60_000} minutes: it hangs, and is stopped.\n`)
  // The test runner then prints which tests were running.
  signalGroup(leader, 'SIGTERM')
  setTimeout(() => signalGroup(leader, 'SIGKILL'), KILL_AFTER_MS).unref()
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // It has ended by itself.
  }
}
