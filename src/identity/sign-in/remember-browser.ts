import { digest, issueToken } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { MAX_BROWSER_TOKENS } from './known-browser-cookie.ts'
import { addKnownBrowser, deleteSurplusBrowsers, listKnownBrowsers, renewKnownBrowser } from './known-browser-store.ts'
import type { SignInSource } from './sign-in-source.ts'

const YEAR = 365 * 24 * 3_600_000

/** The lifetime of the cookie, in seconds. */
export const KNOWN_BROWSER_MAX_AGE = YEAR / 1000

/**
 * Makes the browser a known one of the account, for a year from now. Returns the tokens that the browser is to hold from now
 * on: that of this account first, then those of other accounts, without expired ones.
 */
export async function rememberBrowser(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  userId: string,
  source: SignInSource,
): Promise<string[]> {
  const held = source.browserTokens.map((plaintext) => ({ plaintext, hash: digest(plaintext) }))
  const hashes = held.map(({ hash }) => hash)
  const known = hashes.length > 0 ? await listKnownBrowsers(trx, hashes, now()) : []
  const live = held.filter(({ hash }) => known.some(({ tokenHash }) => tokenHash === hash))
  const ownHash = known.find((browser) => browser.userId === userId)?.tokenHash
  const own = live.find(({ hash }) => hash === ownHash) ?? issueToken(random, '')
  if (own.hash === ownHash) {
    await renewKnownBrowser(trx, own.hash, now() + YEAR)
  } else {
    addKnownBrowser(trx, { token_hash: own.hash, user_id: userId, created_at: now(), expires_at: now() + YEAR })
    deleteSurplusBrowsers(trx, userId)
  }
  const others = live.filter(({ hash }) => hash !== own.hash)
  return [own, ...others].slice(0, MAX_BROWSER_TOKENS).map(({ plaintext }) => plaintext)
}
