import { Stack, Text } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'

type Claims = Record<string, unknown>
export type Told = {
  idToken: { header: Claims; claims: Claims } | null
  userinfo: Claims | null
  introspection: Claims
}

/** What an application is told about a person, in all three places. */
export function ClaimsView({ told: { idToken, userinfo, introspection } }: { told: Told }) {
  const texts = useTexts('applications').preview
  return (
    <Stack>
      {idToken ? (
        <>
          <CodeBlock label={texts.header} value={asJson(idToken.header)} wrap />
          <CodeBlock label={texts.idToken} value={asJson(idToken.claims)} wrap />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.noIdToken}
        </Text>
      )}
      {userinfo && <CodeBlock label={texts.userinfo} value={asJson(userinfo)} wrap />}
      <CodeBlock label={texts.introspection} value={asJson(introspection)} wrap />
    </Stack>
  )
}

const asJson = (value: object) => JSON.stringify(value, null, 2)
