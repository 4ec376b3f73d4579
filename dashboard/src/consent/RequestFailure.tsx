import { Stack } from '@mantine/core'
import { PublicHeading } from '../public-pages/PublicHeading.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

export function RequestFailure({ failure }: { failure: unknown }) {
  const texts = useTexts('publicPages').consent
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.failedTitle}>{texts.failedHint}</PublicHeading>
      <FailureAlert failure={failure} />
    </Stack>
  )
}
