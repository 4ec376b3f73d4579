import { Button, Checkbox, Group, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { ImportResult } from '../../api/shapes.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ChooseFileButton } from '../../ui/ChooseFileButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { type ImportRow, parsePeople } from './parse-people.ts'
import { resultSentence } from './result-sentence.ts'

/** The line of the file is of no interest to the server. */
const toRequest = ({ email, displayName, preferredUsername, roles }: ImportRow) => ({
  email,
  ...(displayName === undefined ? {} : { displayName }),
  ...(preferredUsername === undefined ? {} : { preferredUsername }),
  ...(roles === undefined ? {} : { roles }),
})

/** Fewer than the server takes at once, so that progress shows. */
const CHUNK = 250

/**
 * People of a CSV file: first what would happen to each line, then what did. After a failure the button sends the lines that
 * are left; closing the dialog sends no more.
 */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts('people').import
  const { cancel } = useTexts('shared')
  const client = useQueryClient()
  const [fileName, setFileName] = useState('')
  const [rows, setRows] = useState<ImportRow[]>([])
  const [progress, setProgress] = useState(0)
  /** What would become of the lines. */
  const [planned, setPlanned] = useState<ImportResult[]>()
  /** What became of the first lines, also when the rest failed. */
  const [sent, setSent] = useState<ImportResult[]>([])
  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
    }
  }, [])

  const send = async (people: ImportRow[], dryRun: boolean, before: ImportResult[] = []): Promise<ImportResult[]> => {
    let results = before
    for (let at = before.length; at < people.length && !isClosed.current; at += CHUNK) {
      setProgress(at)
      const body = { dryRun, rows: people.slice(at, at + CHUNK).map(toRequest) }
      results = results.concat((await answer(api.POST('/api/admin/users/import', { body }))).results)
      if (!dryRun) setSent(results)
    }
    return results
  }
  const preview = useSubmit(async (file: File) => {
    setFileName(file.name)
    run.reset()
    setSent([])
    setPlanned(undefined)
    const parsed = parsePeople(await readText(file, texts.unreadable))
    if ('problem' in parsed) throw new Error(texts[parsed.problem])
    setRows(parsed.rows)
    setPlanned(await send(parsed.rows, true))
  })
  const run = useSubmit(async () => {
    try {
      await send(rows, false, sent)
    } finally {
      await client.invalidateQueries({ queryKey: ['admin', 'users'] })
    }
  })
  const results = sent.length > 0 ? sent : planned
  const todo = planned?.slice(sent.length).filter(({ outcome }) => outcome === 'done').length ?? 0
  const isBusy = preview.busy || run.busy

  return (
    <Dialog onClose={onClose} title={texts.title} size="xl" closeOnClickOutside={!isBusy}>
      <Stack>
        {!results && <Text size="sm">{texts.text}</Text>}
        {!run.isDone && (
          <Group>
            <ChooseFileButton
              accept=".csv,text/csv,text/plain"
              disabled={isBusy}
              data-autofocus
              onChosen={(file) => preview.run(file)}
            >
              {texts.choose}
            </ChooseFileButton>
            {fileName !== '' && <Text size="sm">{texts.chosen(fileName)}</Text>}
          </Group>
        )}
        {isBusy && (
          <Stack gap={4} role="status">
            <Text size="sm">
              {run.busy ? texts.inviting : texts.checking}: {texts.progress(progress, rows.length)}
            </Text>
            <Progress value={rows.length === 0 ? 0 : (progress / rows.length) * 100} aria-hidden />
          </Stack>
        )}
        {results && !isBusy && (
          <ImportReport rows={rows.slice(0, results.length)} results={results} isPreview={sent.length === 0} />
        )}
        <FailureAlert failure={run.failure ?? preview.failure} />
        <Group justify="flex-end" gap="sm">
          <Button variant={run.isDone ? 'filled' : 'default'} onClick={onClose}>
            {run.isDone ? texts.close : cancel}
          </Button>
          {planned && !run.isDone && (
            <Button loading={run.busy} disabled={todo === 0 || preview.busy} onClick={() => run.run()}>
              {texts.submit(todo)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Spreadsheets write UTF-8, or the old encoding of Windows: what is not valid UTF-8 is read as that. */
async function readText(file: File, unreadable: string): Promise<string> {
  const bytes = await file.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes)
    if (text.includes('\0')) throw new Error(unreadable)
    return text
  }
}

type ImportReportProps = { rows: ImportRow[]; results: ImportResult[]; isPreview: boolean }

/** More lines than this make the page slow; those with errors come first. */
const MAX_SHOWN = 500

/** What happens to each line of the file. The server answers in the order of the lines. */
function ImportReport({ rows, results, isPreview }: ImportReportProps) {
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
