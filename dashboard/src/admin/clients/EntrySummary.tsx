import { Anchor, Code, List, Stack, Text } from '@mantine/core'
import type { ClientRequest, Entry } from '../../../../catalogue/entry.ts'
import { type Answers, fillIn, type Issued } from '../../../../catalogue/fill-in.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { useCatalogueText } from './catalogue-text.ts'

type Setting = keyof Entry['why']
type Line = { setting: Setting; label: string; values: string[]; isCode?: boolean }

/** What will be registered for an entry of the catalogue, with the reason wherever a default does not fit. */
export function EntrySummary({ entry, client }: { entry: Entry; client: ClientRequest }) {
  const texts = useTexts('applications')
  const clients = useTexts('admin').clients
  const translated = useCatalogueText(entry)
  const lines: Line[] = [
    { setting: 'clientType', label: clients.type, values: [clients.types[client.clientType]] },
    { setting: 'redirectUris', label: clients.redirectUris, values: client.redirectUris, isCode: true },
    {
      setting: 'postLogoutRedirectUris',
      label: clients.postLogoutRedirectUris,
      values: client.postLogoutRedirectUris ?? [],
      isCode: true,
    },
    {
      setting: 'scopes',
      label: clients.scopes,
      values: client.scopes.length > 0 ? [client.scopes.join(' ')] : [],
      isCode: true,
    },
    {
      setting: 'grantTypes',
      label: texts.signIn.grantTypes,
      values: client.grantTypes.map((each) => texts.signIn.grants[each]),
    },
    {
      setting: 'idTokenClaims',
      label: texts.claims.idToken,
      values: client.idTokenClaims ? [texts.claims.idTokenClaims[client.idTokenClaims]] : [],
    },
    {
      setting: 'introspectionClaims',
      label: texts.claims.introspection,
      values: client.introspectionClaims ? [texts.claims.introspectionHint] : [],
    },
    {
      setting: 'id_token_signed_response_alg',
      label: texts.claims.algorithm,
      values: client.id_token_signed_response_alg ? [client.id_token_signed_response_alg] : [],
    },
    {
      setting: 'backchannelLogoutUri',
      label: texts.signOut.logoutUri,
      values: client.backchannelLogoutUri ? [client.backchannelLogoutUri] : [],
      isCode: true,
    },
    {
      setting: 'backchannelLogoutSessionRequired',
      label: texts.signOut.sessionRequired,
      values: client.backchannelLogoutSessionRequired ? [texts.values.yes] : [],
    },
    {
      setting: 'launchUrl',
      label: texts.appearance.launchUrl,
      values: client.launchUrl ? [client.launchUrl] : [],
      isCode: true,
    },
  ]
  return (
    <Stack gap="sm">
      {lines
        .filter(({ values }) => values.length > 0)
        .map(({ setting, label, values, isCode = false }) => (
          <div key={setting}>
            <Text size="sm" fw={550}>
              {label}
            </Text>
            {values.map((value) =>
              isCode ? (
                <Code key={value} display="block" bg="transparent" p={0} style={{ overflowWrap: 'anywhere' }}>
                  {value}
                </Code>
              ) : (
                <Text key={value} size="sm">
                  {value}
                </Text>
              ),
            )}
            {entry.why[setting] !== undefined && (
              <Text size="sm" c="dimmed">
                {texts.create.why} {translated(entry.why[setting])}
              </Text>
            )}
          </div>
        ))}
    </Stack>
  )
}

type EntrySettingsProps = { entry: Entry; answers: Answers; issued: Issued }

/** The settings to paste into the application, with the values that it was registered with. */
export function EntrySettings({ entry, answers, issued }: EntrySettingsProps) {
  const texts = useTexts('applications').create
  const translated = useCatalogueText(entry)
  const filledIn = fillIn(entry, answers, issued)
  const snippets = filledIn.problems ? [] : filledIn.snippets
  const remarks = [...entry.notes, ...(entry.unconfirmed === undefined ? [] : [entry.unconfirmed])]
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.paste}
      </Text>
      {snippets.map(({ title, text }) => (
        <CodeBlock key={title} label={translated(title)} value={text} />
      ))}
      {remarks.length > 0 && (
        <List size="sm" spacing={4}>
          {remarks.map((remark) => (
            <List.Item key={remark}>
              {remark === entry.unconfirmed && `${texts.unconfirmed} `}
              {translated(remark)}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {texts.source(entry.lookedUpOn)}{' '}
        <Anchor href={entry.source} target="_blank" rel="noopener noreferrer" size="sm" underline="always">
          {entry.source}
        </Anchor>
      </Text>
    </Stack>
  )
}
