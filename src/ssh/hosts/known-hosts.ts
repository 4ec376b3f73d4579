import { formatPublicKey } from '../../platform/openssh/public-key.ts'
import type { Services } from '../../platform/services.ts'

/**
 * The lines of a known_hosts file that make ssh trust the certificates of our hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). While the
 * authority is being replaced there is a line for each of its keys.
 */
export function writeKnownHosts({ config, sshHostCa }: Pick<Services, 'config' | 'sshHostCa'>): string {
  const { baseUrl, sshHostPatterns } = config
  const comment = `ssh-host-ca@${new URL(baseUrl).hostname}`
  const keys = sshHostCa.trusted().map(({ blob }) => formatPublicKey(blob, comment))
  if (sshHostPatterns.length === 0) {
    return `# ${baseUrl} names no hosts: SSH_HOST_PATTERNS is not set.\n${keys.map((key) => `# The key of its host CA is: ${key}\n`).join('')}`
  }
  const lines = keys.map((key) => `@cert-authority ${sshHostPatterns.join(',')} ${key}\n`)
  return `# Hosts of ${baseUrl}\n${lines.join('')}`
}
