import { Stack } from '@mantine/core'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

export function RequestFailure({ failure }: { failure: unknown }) {
  const texts = useTexts('entrance').consent
  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.failedTitle}>{texts.failedHint}</EntranceHeading>
      <FailureAlert failure={failure} />
    </Stack>
  )
}
