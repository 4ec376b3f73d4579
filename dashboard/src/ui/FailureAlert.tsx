import { Alert, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { failureSentence } from '../lib/failure-sentence.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

/** Shows why something failed, with the request id for a search in the server's log. */
export function FailureAlert({ failure, title, children }: { failure: unknown; title?: string; children?: ReactNode }) {
  const texts = useTexts('shared')
  if (failure === undefined || failure === null) return null
  const refusal = failure instanceof ApiFailure ? failure : undefined
  // The sentence above contains what is wrong with a password.
  const issues = refusal?.issues.filter(({ reason }) => reason === undefined) ?? []
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<Icon name="alert" />}>
      <Text size="sm">{failureSentence(failure, texts)}</Text>
      {issues.length > 0 && (
        <List size="sm" mt={4}>
          {issues.map((issue) => (
            <List.Item key={issue.path + issue.message}>
              {issue.path ? `${issue.path}: ` : ''}
              {issue.message}
            </List.Item>
          ))}
        </List>
      )}
      {children}
      {refusal?.requestId && (
        <Text size="xs" mt={6} ff="monospace" opacity={0.85}>
          {texts.requestId(refusal.requestId)}
        </Text>
      )}
    </Alert>
  )
}
