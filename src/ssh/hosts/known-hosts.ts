import { formatPublicKey } from '../../openssh/public-key.ts'
import type { Services } from '../../services.ts'

/** The lines of a known_hosts file that make ssh trust the certificates of our hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). */
export function writeKnownHosts({ config, sshHostCa }: Pick<Services, 'config' | 'sshHostCa'>): string {
  const { baseUrl, sshHostPatterns } = config
  const key = formatPublicKey(sshHostCa.blob, `ssh-host-ca@${new URL(baseUrl).hostname}`)
  if (sshHostPatterns.length === 0) {
    return `# ${baseUrl} names no hosts: SSH_HOST_PATTERNS is not set.\n# The key of its host CA is: ${key}\n`
  }
  return `# Hosts of ${baseUrl}\n@cert-authority ${sshHostPatterns.join(',')} ${key}\n`
}
