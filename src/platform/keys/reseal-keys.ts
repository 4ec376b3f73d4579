import { StartError } from '../../errors.ts'
import type { Database, Reader } from '../../storage/database.ts'
import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import type { Vault } from '../crypto/vault.ts'
import { listSealedMail, replaceSealedMail } from '../mail/mail-store.ts'
import {
  listSealedAuthorizations,
  replaceSealedAuthorization,
  streamPurpose,
} from '../outbox/stream-authorization-store.ts'
import { listSealedSecrets, replaceSealedSecrets, webhookPurpose } from '../outbox/webhook-store.ts'
import { lockKeys, listKeys, type KeyPurpose, replaceSealed, type StoredKey } from './service-key-store.ts'
import { listSealedTotp, replaceSealedTotp, totpPurpose } from './totp-secret-store.ts'

const PURPOSES: KeyPurpose[] = ['signing', 'signing-rsa', 'ssh-ca', 'ssh-host-ca']

/** Withdrawn keys too: a backup that is restored later may still need them. */
const listAll = async (db: Reader): Promise<StoredKey[]> =>
  (await Promise.all(PURPOSES.map((purpose) => listKeys(db, purpose, 'all')))).flat()

/** Whether this secret is the one that everything is sealed with. */
export const opensAll = async (db: Reader, vault: Vault): Promise<boolean> =>
  (await listAll(db)).every(({ id, purpose, sealedPrivateKey }) => {
    try {
      vault.open(`${purpose}:${id}`, sealedPrivateKey)
      return true
    } catch {
      return false
    }
  })

/**
 * Seals every key, every mail that waits and the secrets of webhooks, streams and authenticator apps with another secret, in one
 * transaction: either all of them or none. Sign-ins and device codes that are under way carry a code of the old secret, and have to begin again.
 */
export const resealKeys = (
  { db, now }: { db: Database; now: () => number },
  from: Vault,
  to: Vault,
): Promise<{ keys: number; mails: number; webhooks: number; streams: number; authenticatorApps: number }> =>
  db.transaction(async (trx) => {
    await lockKeys(trx)
    const again = (purpose: string, sealed: string): string => {
      try {
        return to.seal(purpose, from.open(purpose, sealed))
      } catch {
        throw new StartError(
          `What is sealed for ${purpose} can't be opened with the current SECRET_KEY. Nothing was changed.`,
        )
      }
    }
    const keys = await listAll(trx)
    for (const { id, purpose, sealedPrivateKey } of keys) {
      const sealed = again(`${purpose}:${id}`, sealedPrivateKey)
      if (!(await replaceSealed(trx, { id, from: sealedPrivateKey, to: sealed })))
        throw new StartError(`The key ${id} was changed meanwhile. Nothing was changed by this command; run it again.`)
    }
    const mails = await listSealedMail(trx)
    for (const { id, contentSealed } of mails) await replaceSealedMail(trx, id, again(`mail:${id}`, contentSealed))
    const webhooks = await listSealedSecrets(trx)
    for (const { id, secret, previous } of webhooks) {
      const purpose = webhookPurpose(id)
      await replaceSealedSecrets(trx, {
        id,
        secret: again(purpose, secret),
        previous: previous === null ? null : again(purpose, previous),
      })
    }
    const streams = await listSealedAuthorizations(trx)
    for (const { id, sealed } of streams)
      await replaceSealedAuthorization(trx, { id, sealed: again(streamPurpose(id), sealed) })
    const apps = await listSealedTotp(trx)
    for (const { userId, sealed } of apps)
      await replaceSealedTotp(trx, { userId, sealed: again(totpPurpose(userId), sealed) })
    const resealed = {
      keys: keys.length,
      mails: mails.length,
      webhooks: webhooks.length,
      streams: streams.length,
      authenticatorApps: apps.length,
    }
    await recordEvent({ now }, trx, {
      action: 'secret_key.replaced',
      outcome: 'success',
      actor: THE_SERVICE,
      data: resealed,
    })
    return resealed
  })
