import type { Page } from '@playwright/test'

export type Authenticator = {
  credentials: () => Promise<number>
  /** The name and the display name of the person on each passkey. */
  names: () => Promise<string[]>
  /** From now on its responses say that nobody was present, and nobody verified. */
  askNobody: () => Promise<void>
  remove: () => Promise<void>
}

/** A platform authenticator, as in a laptop with a fingerprint reader, which always confirms. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async credentials() {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.length
    },
    async names() {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ userName, userDisplayName }) => `${userName}, ${userDisplayName}`)
    },
    async askNobody() {
      await cdp.send('WebAuthn.setResponseOverrideBits', { authenticatorId, isBadUP: true, isBadUV: true })
    },
    async remove() {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
