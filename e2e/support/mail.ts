import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** Decodes quoted-printable, which breaks long links over several lines. */
const decode = (message: string) =>
  message
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/**
 * Waits for the newest link to the given page in a mail to the given address, in the outbox of the server; with `before`,
 * for a link other than that.
 */
export async function linkInMail(dataDir: string, to: string, page: string, before?: string): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => {
      const outbox = join(dataDir, 'outbox')
      const names = await readdir(outbox).catch(() => [])
      // A mail that is being written has another name.
      const written = names.filter((name) => name.endsWith('.eml'))
      for (const name of written.toSorted((one, other) => one.localeCompare(other))) {
        const message = decode(await readFile(join(outbox, name), 'utf8'))
        const link = new RegExp(`https?://\\S+${page}[?#][^\\s"<>]+`).exec(message)?.[0]
        if (message.includes(to) && link) found = link
      }
      return found !== before && found
    })
    .toBeTruthy()
  return found ?? ''
}
