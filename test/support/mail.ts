import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from './app.ts'

export interface SentMail {
  to: string
  subject: string
  text: string
  /** The first link in the text. */
  link: URL
  token: string
}

/** All mails that the service has written to the outbox folder so far, oldest first. */
export async function sentMails(test: TestApp): Promise<SentMail[]> {
  await test.tick()
  await test.tick()
  const folder = join(test.storage.dataDir, 'outbox')
  if (!existsSync(folder)) return []
  const log = test
    .logged()
    .split('\n')
    .filter((line) => line.includes('Mail written to the outbox.'))
  const files = log.map((line) => join(test.storage.dataDir, (JSON.parse(line) as { file: string }).file))
  const known = readdirSync(folder)
  return files
    .filter((file) => known.some((name) => file.endsWith(name)))
    .map((file) => read(readFileSync(file, 'utf8')))
}

/** The newest mail to this address with a link to the given page. Mails sent at the same time arrive in any order. */
export async function lastMailTo(test: TestApp, to: string, page: string): Promise<SentMail> {
  const mail = (await sentMails(test)).findLast((each) => each.to === to && each.link.pathname === page)
  if (!mail) throw new Error(`No mail to ${to} with a link to ${page}.`)
  return mail
}

function read(source: string): SentMail {
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(source)?.[1] ?? ''
  const text = source
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const link = new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? 'about:blank')
  return { to: header('To'), subject: header('Subject'), text, link, token: tokenOf(link) }
}

/** In the query, or in the part of the address that browsers do not send. */
const tokenOf = ({ searchParams, hash }: URL): string =>
  searchParams.get('token') ?? new URLSearchParams(hash.slice(1)).get('token') ?? ''
