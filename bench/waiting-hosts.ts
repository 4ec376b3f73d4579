import { readFileSync } from 'node:fs'
import { type Answer, type Connection, expect, get, openConnection, postJson } from './connection.ts'

const OPENED_AT_ONCE = 100
/** Longer than a host waits. */
const ANSWER_TIMEOUT_MS = 90_000
/** Files that the server and this process open besides the connections. */
const OTHER_FILES = 500

export interface WaitingHosts {
  /** How many requests that waited were answered with 304, after 55 seconds. */
  unchanged(): number
  /** Runs a revocation, and resolves when all hosts have the new list, with the milliseconds that it took. */
  revoke(work: () => Promise<void>): Promise<{ told: number; fetched: number }>
  close(): void
}

/** Hosts that do what `latchkey-ssh-sync --wait` does, each on a connection of its own. Resolves when all of them wait. */
export async function openWaitingHosts(port: number, tokens: string[]): Promise<WaitingHosts> {
  checkOpenFiles(tokens.length)
  const connections: Connection[] = []
  const failed = Promise.withResolvers<never>()
  let unchanged = 0
  let isClosed = false
  let missing = { told: 0, fetched: 0 }
  let all = { told: Promise.withResolvers<void>(), fetched: Promise.withResolvers<void>() }
  const reached = (what: 'told' | 'fetched') => {
    if (--missing[what] === 0) all[what].resolve()
  }

  const fetchKrl = async (connection: Connection): Promise<string> => {
    const answer = await connection.send(get('/ssh/krl?format=krl'))
    expect(answer, 200, 'SSHKRL')
    return tagOf(answer)
  }

  const live = async (connection: Connection, token: string, firstKrl: string, begun: () => void): Promise<never> => {
    const headers = { Authorization: `Bearer ${token}` }
    const listed = await connection.send(get('/ssh/hosts/principals', headers))
    expect(listed, 200, '"accounts"')
    const principals = tagOf(listed)
    for (let krl = firstKrl; ;) {
      const waited = connection.send(get(`/ssh/hosts/wait?krl=${krl}&principals=${principals}`, headers))
      begun()
      const answer = await waited
      if (answer.status === 304) unchanged++
      else {
        expect(answer, 200, '"krl"')
        reached('told')
      }
      expect(await connection.send(get('/ssh/ca.pub?trusted=all')), 200, 'ssh-ed25519')
      if (answer.status === 200) {
        krl = await fetchKrl(connection)
        reached('fetched')
      }
      const report = { krlVersion: krl, sshdVersion: 'OpenSSH_10.0p2' }
      expect(await connection.send(postJson('/ssh/hosts/report', report, headers)), 200, '"renew":false')
    }
  }

  const close = () => {
    isClosed = true
    for (const connection of connections) connection.close()
  }
  try {
    const first = await openConnection(port)
    const krl = await fetchKrl(first).finally(() => first.close())
    for (let from = 0; from < tokens.length; from += OPENED_AT_ONCE) {
      const opening = tokens.slice(from, from + OPENED_AT_ONCE).map(async (token) => {
        const connection = await openConnection(port, ANSWER_TIMEOUT_MS)
        connections.push(connection)
        const waits = Promise.withResolvers<void>()
        live(connection, token, krl, waits.resolve).catch((error: unknown) => {
          if (!isClosed) failed.reject(error)
        })
        await waits.promise
      })
      await Promise.race([Promise.all(opening), failed.promise])
    }
  } catch (error) {
    close()
    throw error
  }
  // It is waited for where something is expected of the hosts.
  failed.promise.catch(() => {})

  return {
    unchanged: () => unchanged,
    async revoke(work) {
      missing = { told: tokens.length, fetched: tokens.length }
      all = { told: Promise.withResolvers(), fetched: Promise.withResolvers() }
      const late = setTimeout(
        () => failed.reject(new Error(`${missing.told} hosts were not told, ${missing.fetched} have not the list.`)),
        ANSWER_TIMEOUT_MS,
      )
      const started = performance.now()
      const took = async (what: Promise<void>) => {
        await what
        return performance.now() - started
      }
      try {
        const times = Promise.all([took(all.told.promise), took(all.fetched.promise), work()])
        const [told, fetched] = await Promise.race([times, failed.promise])
        return { told, fetched }
      } finally {
        clearTimeout(late)
      }
    },
    close,
  }
}

/** Without quotes and the mark of a weak one. */
const tagOf = ({ head }: Answer): string => /\r\netag: (?:W\/)?"([^"]+)"/i.exec(head)?.[1] ?? ''

function checkOpenFiles(connections: number): void {
  const [, limit = '0'] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  if (Number(limit) < connections + OTHER_FILES)
    throw new Error(`A process may open ${limit} files here. Raise that with ulimit -n ${connections + OTHER_FILES}.`)
}
