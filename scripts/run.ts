import { spawn } from 'node:child_process'
import { constants } from 'node:os'

interface Options {
  quiet?: boolean
  /** A program that prints nothing for so long hangs, and is ended. */
  longestSilenceMs?: number
}

const LAST_CHANCE_MS = 10_000

/** Each is the leader of a group of its own, so that whatever it has started ends with it. */
const running = new Set<number>()
let interruptedBy: NodeJS.Signals | undefined

// They are out of reach of the terminal's Ctrl+C, which therefore is passed on.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (running.size === 0) process.exit(exitCodeOf(signal))
    interruptedBy = signal
    for (const leader of running) endGroup(leader, signal)
  })
}

/** Runs a program to its end. What it prints is shown as it comes, and returned with its exit code. */
export function run(
  command: string,
  args: string[],
  { quiet = false, longestSilenceMs = Infinity }: Options = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const leader = child.pid
    if (leader !== undefined) running.add(leader)
    let silence: NodeJS.Timeout | undefined
    const listen = () => {
      clearTimeout(silence)
      if (leader !== undefined && Number.isFinite(longestSilenceMs)) {
        silence = setTimeout(() => endHung(leader, longestSilenceMs), longestSilenceMs)
      }
    }
    let output = ''
    const keep = (chunk: Buffer, stream: NodeJS.WriteStream) => {
      listen()
      output += chunk.toString()
      if (!quiet) stream.write(chunk)
    }
    listen()
    child.stdout.on('data', (chunk: Buffer) => keep(chunk, process.stdout))
    child.stderr.on('data', (chunk: Buffer) => keep(chunk, process.stderr))
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

function endHung(leader: number, silenceMs: number): void {
  process.stderr.write(`\nNothing was printed for ${silenceMs / 60_000} minutes: it hangs, and is ended.\n`)
  // The runner of tests says then which ones were under way.
  endGroup(leader, 'SIGTERM')
  setTimeout(() => endGroup(leader, 'SIGKILL'), LAST_CHANCE_MS).unref()
}

function endGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // It has ended by itself.
  }
}
