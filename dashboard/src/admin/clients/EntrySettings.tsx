import { Anchor, List, Stack, Text } from '@mantine/core'
import type { Entry } from '../../../../catalogue/entry.ts'
import { type Answers, fillIn, type Issued } from '../../../../catalogue/fill-in.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { useCatalogueText } from './catalogue-text.ts'

type Props = { entry: Entry; answers: Answers; issued: Issued }

/** The settings to paste into the application, with the values that it was registered with. */
export function EntrySettings({ entry, answers, issued }: Props) {
  const texts = useTexts('applications').create
  const translated = useCatalogueText()
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
