import { Button, Container, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'

/** Shown when a page throws while it renders: a message with a button to reload, instead of an empty page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <BrokenPage /> : this.props.children
  }
}

export function BrokenPage() {
  const texts = useTexts('shared')
  return (
    <Container size="xs" py={96} role="alert">
      <Stack align="flex-start">
        <Title>{texts.unexpected}</Title>
        <Text c="dimmed">{texts.unexpectedHint}</Text>
        <Button onClick={() => location.reload()}>{texts.reload}</Button>
      </Stack>
    </Container>
  )
}
