import { spawn } from 'node:child_process'
import { constants } from 'node:os'

interface Options {
  quiet?: boolean
  /** A program that prints nothing for so long hangs, and is ended. */
  longestSilenceMs?: number
}

const LAST_CHANCE_MS = 10_000

/** Runs a program to its end. What it prints is shown as it comes, and returned with its exit code. */
export function run(
  command: string,
  args: string[],
  { quiet = false, longestSilenceMs = Infinity }: Options = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    // In a group of its own, so that whatever it has started ends with it.
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const end = (signal: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal)
      } catch {
        // It has ended by itself.
      }
    }
    const hung = () => {
      process.stderr.write(`\nNothing was printed for ${longestSilenceMs / 60_000} minutes: it hangs, and is ended.\n`)
      // The runner of tests says then which ones were under way.
      end('SIGTERM')
      setTimeout(() => end('SIGKILL'), LAST_CHANCE_MS).unref()
    }
    let silence: NodeJS.Timeout | undefined
    const listen = () => {
      clearTimeout(silence)
      if (Number.isFinite(longestSilenceMs)) silence = setTimeout(hung, longestSilenceMs)
    }
    let interruptedBy: NodeJS.Signals | undefined
    const passOn = (signal: NodeJS.Signals) => {
      interruptedBy = signal
      end(signal)
    }
    let output = ''
    const keep = (chunk: Buffer, stream: NodeJS.WriteStream) => {
      listen()
      output += chunk.toString()
      if (!quiet) stream.write(chunk)
    }
    listen()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, passOn)
    child.stdout.on('data', (chunk: Buffer) => keep(chunk, process.stdout))
    child.stderr.on('data', (chunk: Buffer) => keep(chunk, process.stderr))
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(silence)
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, passOn)
      if (interruptedBy) process.exit(128 + constants.signals[interruptedBy])
      resolve({ code: code ?? 1, output })
    })
  })
}
