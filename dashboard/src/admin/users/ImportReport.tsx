import { Checkbox, Group, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { ImportResult } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import type { ImportRow } from './parse-people.ts'
import { resultSentence } from './result-sentence.ts'

type Props = { rows: ImportRow[]; results: ImportResult[]; isPreview: boolean }

/** More lines than this make the page slow; those with errors come first. */
const MAX_SHOWN = 500

/** What happens to each line of the file. The server answers in the order of the lines. */
export function ImportReport({ rows, results, isPreview }: Props) {
  const texts = useTexts('people').import
  const count = (outcome: ImportResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const [onlyRefused, setOnlyRefused] = useState(false)
  const words = { done: isPreview ? texts.willInvite : texts.invited, unchanged: texts.known }
  const lines = rows
    .map((row, index) => ({ row, result: results[index] }))
    .filter(({ result }) => !onlyRefused || result?.outcome === 'refused')
    .toSorted((one, other) => rank(one.result) - rank(other.result))
    .slice(0, MAX_SHOWN)
  const summary = isPreview ? texts.summary : texts.result
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} size="sm" role="status">
          {summary(count('done'), count('unchanged'), count('refused'))}
        </Text>
        {count('refused') > 0 && (
          <Checkbox
            label={texts.onlyRefused}
            checked={onlyRefused}
            onChange={(event) => setOnlyRefused(event.currentTarget.checked)}
          />
        )}
      </Group>
      <ScrollArea.Autosize mah={320} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': texts.title }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.line}</Table.Th>
              <Table.Th>{texts.email}</Table.Th>
              <Table.Th>{texts.outcome}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ row, result }) => (
              <Table.Tr key={row.line}>
                <Table.Td>{row.line}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.email}</Table.Td>
                <Table.Td>
                  {result?.outcome === 'refused' ? (
                    <Text size="sm" c="red">
                      {resultSentence(result)}
                    </Text>
                  ) : (
                    words[result?.outcome ?? 'unchanged']
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </Stack>
  )
}

const rank = (result: ImportResult | undefined): number => (result?.outcome === 'refused' ? 0 : 1)
