import { equalInConstantTime } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'

const PURPOSE = 'ssh-host-token'
const RANDOM_BYTES = 32
/** The id of the host, 256 random bits, and a message authentication code of both. Tokens of versions before 0.3 are shorter. */
const FORM = /^ht_([0-9a-f-]{36})_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/

/**
 * A token that says which host it belongs to, and that this installation made it. A live one is known by its digest; the code is
 * for one that is not known, as after a restore.
 */
export function newHostToken({ random, vault }: Pick<Services, 'random' | 'vault'>, hostId: string): string {
  const content = `${hostId}_${random.text(RANDOM_BYTES)}`
  return `ht_${content}${vault.mac(PURPOSE, content)}`
}

/** The host that a token was made for; undefined for one that this installation did not make with its present secret. */
export function readHostToken({ vault }: Pick<Services, 'vault'>, token: string): string | undefined {
  const [, hostId, secret, mac] = FORM.exec(token) ?? []
  if (hostId === undefined || mac === undefined) return undefined
  return equalInConstantTime(vault.mac(PURPOSE, `${hostId}_${secret}`), mac) ? hostId : undefined
}
