import { List, Stack, Text } from '@mantine/core'
import type { BatchResult, User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { resultSentence } from './result-sentence.ts'

type Props = { results: BatchResult[]; users: User[]; isPreview: boolean }

/** How many of each outcome, and for each person who was refused the reason. */
export function BatchReport({ results, users, isPreview }: Props) {
  const texts = useTexts('people').batch
  const count = (outcome: BatchResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const refused = results.filter(({ outcome }) => outcome === 'refused')
  const nameOf = (id: string) => users.find((user) => user.id === id)?.email ?? id
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>{isPreview ? texts.previewTitle : texts.report}</Text>
      <List size="sm">
        <List.Item>{isPreview ? texts.willBeDone(count('done')) : texts.done(count('done'))}</List.Item>
        {count('unchanged') > 0 && <List.Item>{texts.unchanged(count('unchanged'))}</List.Item>}
        {refused.length > 0 && (
          <List.Item>
            {texts.refused(refused.length)}
            <List size="sm" withPadding>
              {refused.map((result) => (
                <List.Item key={result.id} style={{ overflowWrap: 'anywhere' }}>
                  {nameOf(result.id)}: {resultSentence(result)}
                </List.Item>
              ))}
            </List>
          </List.Item>
        )}
      </List>
    </Stack>
  )
}
