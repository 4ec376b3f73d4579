import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/**
 * Opens the database file with the SQLite shell of the system, reads from it and closes it. The shell uses an older SQLite
 * library than Node, as most programs do; only the newer one checks a second time before it deletes the write-ahead log.
 */
export async function readInAnotherProcess(file: string): Promise<void> {
  const shell = spawn('sqlite3', [file, 'select count(*) from users'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(shell, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The SQLite shell exited with code ${code}.`)
}

const LOCK = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
database.exec('begin immediate')
process.stdout.write('locked')
process.stdin.on('end', () => {
  database.exec('rollback')
  database.close()
}).resume()`

/** Lets another process hold the write lock of the database file until the returned function is called or the test ends. */
export async function lockInAnotherProcess(t: Pick<TestContext, 'after'>, file: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', LOCK, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('The process exited without the lock.'))),
  ])
  return async () => {
    child.stdin.end()
    await ended
  }
}

const READ = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 5000 })
database.exec('begin')
database.prepare('select count(*) from users').get()
process.stdout.write('reading')
process.stdin.on('end', () => {
  database.exec('rollback')
  database.close()
}).resume()`

/** Lets another process read the state of this moment until it is ended or the test ends. */
export async function readForLong(
  t: Pick<TestContext, 'after'>,
  file: string,
  within: string[] = [],
): Promise<{ pid: number; end(): Promise<void> }> {
  const [command, ...args] = [...within, process.execPath, '--no-warnings', '--input-type=module', '-e', READ, file]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('The process exited without reading.'))),
  ])
  return {
    pid: child.pid ?? 0,
    async end() {
      child.stdin.end()
      await ended
    },
  }
}
