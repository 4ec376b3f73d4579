import { webhookPurpose } from '../../platform/outbox/webhook-store.ts'
import type { Services } from '../../platform/services.ts'

const PREFIX = 'whsec_'
const BYTES = 32
/** After a change of the secret, the one before signs too for so long. */
export const BOTH_SIGN_MS = 24 * 3_600_000

/** As Standard Webhooks says: the prefix, and base64. */
export const newSecret = ({ random }: Pick<Services, 'random'>): string =>
  `${PREFIX}${random.bytes(BYTES).toString('base64')}`

/** What it signs with. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

export const sealSecret = ({ vault }: Pick<Services, 'vault'>, webhookId: string, secret: string): string =>
  vault.seal(webhookPurpose(webhookId), Buffer.from(secret))

export const openSecret = ({ vault }: Pick<Services, 'vault'>, webhookId: string, sealed: string): string =>
  vault.open(webhookPurpose(webhookId), sealed).toString()
