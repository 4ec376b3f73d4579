import { Stack, Text } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'

type Props = { clientId: string; clientSecret?: string | undefined; isPublic?: boolean }

/** Ready to paste into the application's configuration. */
export function ClientSettings({ clientId, clientSecret, isPublic = false }: Props) {
  const texts = useTexts('admin').clients
  const issuer = location.origin
  const lines = [`OIDC_ISSUER=${issuer}`, `OIDC_CLIENT_ID=${clientId}`]
  if (!isPublic) lines.push(`OIDC_CLIENT_SECRET=${clientSecret ?? texts.yourSecret}`)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.settingsText}
      </Text>
      <CodeBlock label={texts.environment} value={lines.join('\n')} />
      <CodeBlock label={texts.discovery} value={`${issuer}/.well-known/openid-configuration`} />
    </Stack>
  )
}
