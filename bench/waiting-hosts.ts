import { readFileSync } from 'node:fs'
import { type Answer, type Connection, expect, get, openConnection, postJson } from './connection.ts'

const OPENED_AT_ONCE = 100
/** Longer than a host waits. */
const ANSWER_TIMEOUT_MS = 90_000
/** Files that the server and this process open besides the connections. */
const OTHER_FILES = 500
export interface WaitingHosts {
  /** How many hosts have not yet been answered with 304, which comes after 55 seconds. */
  unanswered(): number
  /** Runs a change that concerns all hosts, and resolves when all of them have the new lists, with the milliseconds that it took. */
  change(work: () => Promise<void>): Promise<{ told: number; fetched: number }>
  close(): void
}

interface Lists {
  krl: string
  principals: string
  /** Of the keys of the authority. */
  ca: string
  accounts?: string
}

/**
 * Hosts that send what `latchkey-ssh-sync --wait` sends, each on a connection of its own, as through a proxy that keeps its connections.
 * Resolves when all of them wait.
 */
export async function openWaitingHosts(port: number, tokens: string[], managed: boolean): Promise<WaitingHosts> {
  checkOpenFiles(tokens.length)
  const connections: Connection[] = []
  const failed = Promise.withResolvers<never>()
  let unanswered = tokens.length
  let isClosed = false
  let missing = { told: 0, fetched: 0 }
  let all = { told: Promise.withResolvers<void>(), fetched: Promise.withResolvers<void>() }
  const reached = (what: 'told' | 'fetched') => {
    if (--missing[what] === 0) all[what].resolve()
  }

  const live = async (token: string, begun: () => void): Promise<never> => {
    const headers = { Authorization: `Bearer ${token}` }
    const connection = await openConnection(port, ANSWER_TIMEOUT_MS)
    connections.push(connection)
    const ask = (request: string): Promise<Answer> => connection.send(request)
    const fetchList = async (path: string, part: string): Promise<string> => {
      const answer = await ask(get(path, headers))
      expect(answer, 200, part)
      return tagOf(answer)
    }
    const fetchLists = async (now?: Lists, has?: Lists): Promise<Lists> => {
      const lists: Lists = { krl: '', principals: '', ca: '', ...has }
      if (!now || now.krl !== has?.krl) lists.krl = await fetchList('/ssh/krl?format=krl', 'SSHKRL')
      if (!now || now.ca !== has?.ca) lists.ca = await fetchList('/ssh/ca.pub?trusted=all', 'ssh-ed25519')
      if (!now || now.principals !== has?.principals)
        lists.principals = await fetchList('/ssh/hosts/principals', '"accounts"')
      if (managed && (!now || now.accounts !== has?.accounts))
        lists.accounts = await fetchList('/ssh/hosts/accounts', '"accounts"')
      return lists
    }
    const report = async ({ krl, principals }: Lists): Promise<void> => {
      const told = {
        krlVersion: krl,
        sshdVersion: 'OpenSSH_10.0p2',
        principalsVersion: principals,
        caRefused: false,
        allows: { accounts: managed, sudo: false },
        sessions: [],
        ended: [],
        ...(managed ? { conflicts: [] } : {}),
      }
      expect(await ask(postJson('/ssh/hosts/report', told, headers)), 200, '"renew":false')
    }

    let isAnswered = false
    for (let lists = await fetchLists(); ;) {
      const waited = ask(get(`/ssh/hosts/wait?${new URLSearchParams({ ...lists }).toString()}`, headers))
      begun()
      const answer = await waited
      if (answer.status === 304) {
        if (!isAnswered) unanswered--
        isAnswered = true
      } else {
        expect(answer, 200, '"krl"')
        reached('told')
        lists = await fetchLists(tagsIn(answer), lists)
        reached('fetched')
      }
      await report(lists)
    }
  }

  const close = () => {
    isClosed = true
    for (const connection of connections) connection.close()
  }
  try {
    for (let from = 0; from < tokens.length; from += OPENED_AT_ONCE) {
      const opening = tokens.slice(from, from + OPENED_AT_ONCE).map(async (token) => {
        const waits = Promise.withResolvers<void>()
        live(token, waits.resolve).catch((error: unknown) => {
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
    unanswered: () => unanswered,
    async change(work) {
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

const TAG = /(?:W\/)?"([^"]+)"/

/** Without quotes and the mark of a weak one. */
const tagOf = ({ head }: Answer): string => TAG.exec(/\r\netag: (.*)\r\n/i.exec(head)?.[1] ?? '')?.[1] ?? ''

const tagsIn = ({ body }: Answer): Lists => {
  const bare = (tag: string) => TAG.exec(tag)?.[1] ?? ''
  const { krl, principals, ca, accounts } = JSON.parse(body) as Lists
  return {
    krl: bare(krl),
    principals: bare(principals),
    ca: bare(ca),
    ...(accounts === undefined ? {} : { accounts: bare(accounts) }),
  }
}

function checkOpenFiles(connections: number): void {
  const [, limit = '0'] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  if (Number(limit) < connections + OTHER_FILES)
    throw new Error(`A process may open ${limit} files here. Raise that with ulimit -n ${connections + OTHER_FILES}.`)
}
