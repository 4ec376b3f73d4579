import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** Undoes quoted-printable, which breaks long links over lines. */
const plain = (message: string) =>
  message
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/**
 * The newest link to the given page in a mail to the given person, from the server's outbox; with `before`, one that is
 * newer than that.
 */
export async function linkInMail(dataDir: string, to: string, page: string, before?: string): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => {
      const outbox = join(dataDir, 'outbox')
      const names = await readdir(outbox).catch(() => [])
      for (const name of names.toSorted((one, other) => one.localeCompare(other))) {
        const message = plain(await readFile(join(outbox, name), 'utf8'))
        const link = new RegExp(`https?://\\S+${page}\\?[^\\s"<>]+`).exec(message)?.[0]
        if (message.includes(to) && link) found = link
      }
      return found !== before && found
    })
    .toBeTruthy()
  return found ?? ''
}
