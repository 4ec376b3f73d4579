import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/**
 * Another program opens the database file, selects from it and closes it: the SQLite shell of the system. Its library is older
 * than the one in Node, which looks twice before it deletes a log; most programs that people use have an older one too.
 */
export async function readFromOutside(file: string): Promise<void> {
  const shell = spawn('sqlite3', [file, 'select count(*) from users'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(shell, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The outside reader ended with ${code}.`)
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

/** Another process holds the write lock of the database file until it is released, or until the test is over. */
export async function lockFromOutside(t: Pick<TestContext, 'after'>, file: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', LOCK, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error('It got no lock.')))])
  return async () => {
    child.stdin.end()
    await ended
  }
}
