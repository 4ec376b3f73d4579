import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { failureSentence } from '../lib/failure-sentence.ts'
import { issueSentence } from '../lib/issue-sentence.ts'
import { isShownByShell } from '../session/session-state.ts'
import { currentTexts } from '../texts/current-texts.ts'
import { findText } from '../texts/find-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

/** Shows why something failed, with the request id for a search in the server's log. */
export function FailureAlert({ failure, title, children }: { failure: unknown; title?: string; children?: ReactNode }) {
  const texts = useTexts('shared')
  if (failure === undefined || failure === null || isShownByShell(failure)) return null
  const answered = failure instanceof ApiFailure ? failure : undefined
  const spoken = currentTexts()
  const sentence = failureSentence(failure, texts, spoken)
  // What the sentence above says already is not said again.
  const issues = (answered?.issues ?? [])
    .map((issue) => ({
      name: spoken.failures && findText(spoken.failures.fields, nameOf(issue.path)),
      said: issueSentence(issue, spoken, answered?.code),
    }))
    .filter(({ said }) => said !== sentence)
    .map(({ name, said }) => (name ? `${name}: ${said}` : said))
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<Icon name="alert" />}>
      <Text size="sm">{sentence}</Text>
      {issues.length > 0 && (
        <Text component="ul" size="sm" mt={4} pl="md">
          {[...new Set(issues)].map((issue) => (
            <li key={issue}>{issue}</li>
          ))}
        </Text>
      )}
      {children}
      {answered?.requestId && (
        <Text size="xs" mt={6} ff="monospace" opacity={0.85}>
          {texts.requestId(answered.requestId)}
        </Text>
      )}
    </Alert>
  )
}

/** The field of a path such as `redirectUris/0` or `ssh.forceCommand`. */
const nameOf = (path: string): string => path.split(/[/.]/)[0] ?? ''
