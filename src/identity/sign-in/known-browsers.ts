import { sql } from 'kysely'
import { digest, issueToken } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import { KNOWN_BROWSER_MS, MAX_BROWSER_TOKENS, type SignInSource } from './sign-in-source.ts'

interface RememberedBrowser {
  /** What the browser is to hold from now on: that of this account first, then those of other accounts, without expired ones. */
  tokens: string[]
  /** When it became a known one of the account. */
  knownSince: number
}

/** Makes the browser a known one of the account, for a year from now. */
export async function rememberBrowser(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  userId: string,
  source: SignInSource,
): Promise<RememberedBrowser> {
  const held = source.browserTokens.map((plaintext) => ({ plaintext, hash: digest(plaintext) }))
  const hashes = held.map(({ hash }) => hash)
  const known = hashes.length > 0 ? await listKnownBrowsers(trx, hashes, now()) : []
  const live = held.filter(({ hash }) => known.some(({ tokenHash }) => tokenHash === hash))
  const ownBrowser = known.find((browser) => browser.userId === userId)
  const ownHash = ownBrowser?.tokenHash
  const own = live.find(({ hash }) => hash === ownHash) ?? issueToken(random, '')
  if (own.hash === ownHash) {
    await renewKnownBrowser(trx, own.hash, now() + KNOWN_BROWSER_MS)
  } else {
    addKnownBrowser(trx, {
      token_hash: own.hash,
      user_id: userId,
      created_at: now(),
      expires_at: now() + KNOWN_BROWSER_MS,
    })
    deleteSurplusBrowsers(trx, userId)
  }
  const others = live.filter(({ hash }) => hash !== own.hash)
  return {
    tokens: [own, ...others].slice(0, MAX_BROWSER_TOKENS).map(({ plaintext }) => plaintext),
    knownSince: ownBrowser?.knownSince ?? now(),
  }
}

interface KnownBrowser {
  tokenHash: string
  userId: string
  knownSince: number
}

/** Those of these tokens that are valid, with their account. */
async function listKnownBrowsers(db: Reader, hashes: string[], now: number): Promise<KnownBrowser[]> {
  return db
    .selectFrom('known_browsers')
    .select(['token_hash as tokenHash', 'user_id as userId', 'created_at as knownSince'])
    .where('token_hash', 'in', hashes)
    .where('expires_at', '>', now)
    .execute()
}

/** The one of these tokens that is valid for the account with this email. */
export async function findKnownBrowserOf(
  db: Reader,
  email: string,
  hashes: string[],
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('known_browsers')
    .innerJoin('users', 'users.id', 'known_browsers.user_id')
    .select('known_browsers.token_hash')
    .where('known_browsers.token_hash', 'in', hashes)
    .where('known_browsers.expires_at', '>', now)
    .where('users.email', '=', email)
    .executeTakeFirst()
  return row?.token_hash
}

interface NewKnownBrowser {
  token_hash: string
  user_id: string
  created_at: number
  expires_at: number
}

const insertBrowser = writeStatement((db, value: Values<NewKnownBrowser>) =>
  db.insertInto('known_browsers').values({
    token_hash: value('token_hash'),
    user_id: value('user_id'),
    created_at: value('created_at'),
    expires_at: value('expires_at'),
  }),
)

const addKnownBrowser = (trx: Trx, browser: NewKnownBrowser): void => insertBrowser.next(trx, browser)

async function renewKnownBrowser(trx: Trx, tokenHash: string, expiresAt: number): Promise<void> {
  await trx.updateTable('known_browsers').set({ expires_at: expiresAt }).where('token_hash', '=', tokenHash).execute()
}

/** A program that signs in without cookies adds one each time. */
const MAX_BROWSERS_OF_ACCOUNT = 50

const deleteSurplus = writeStatement((db, value: Values<{ userId: string }>) =>
  db
    .deleteFrom('known_browsers')
    .where('user_id', '=', value('userId'))
    .where('token_hash', 'not in', (eb) =>
      eb
        .selectFrom('known_browsers')
        .select('token_hash')
        .where('user_id', '=', value('userId'))
        .orderBy('created_at', 'desc')
        .orderBy('token_hash')
        // A literal: SQLite prepares a statement again for each value of a limit.
        .limit(sql.lit(MAX_BROWSERS_OF_ACCOUNT)),
    ),
)

/** Keeps the newest ones of a user, and deletes the others. */
const deleteSurplusBrowsers = (trx: Trx, userId: string): void => deleteSurplus.next(trx, { userId })

export async function deleteKnownBrowsersOfUsers(trx: Trx, userIds: string[]): Promise<void> {
  await trx.deleteFrom('known_browsers').where('user_id', 'in', userIds).execute()
}
