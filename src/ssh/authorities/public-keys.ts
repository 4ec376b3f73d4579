import { formatPublicKey } from '../../platform/openssh/public-key.ts'
import type { Services } from '../../platform/services.ts'

const COMMENTS = { sshCa: 'ssh-ca', sshHostCa: 'ssh-host-ca' } as const

export type AuthorityName = keyof typeof COMMENTS

/** The public keys of an authority, a line for each: the one that signs, or all that must be trusted. */
export function writePublicKeys(
  { config, ...authorities }: Pick<Services, 'config' | AuthorityName>,
  name: AuthorityName,
  which: 'current' | 'trusted',
): string {
  const { hostname } = new URL(config.baseUrl)
  const authority = authorities[name]
  const keys = which === 'trusted' ? authority.trusted() : [authority.current()]
  return keys.map(({ blob }) => `${formatPublicKey(blob, `${COMMENTS[name]}@${hostname}`)}\n`).join('')
}
