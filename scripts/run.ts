import { spawn } from 'node:child_process'

/** Runs a program to its end. What it prints is shown as it comes, and returned with its exit code. */
export function run(
  command: string,
  args: string[],
  { quiet = false } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk: Buffer, stream: NodeJS.WriteStream) => {
      output += chunk.toString()
      if (!quiet) stream.write(chunk)
    }
    child.stdout.on('data', (chunk: Buffer) => keep(chunk, process.stdout))
    child.stderr.on('data', (chunk: Buffer) => keep(chunk, process.stderr))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
