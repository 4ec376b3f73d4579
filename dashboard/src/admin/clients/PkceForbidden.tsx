import { Alert, Text } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'

/** Says why an exception from PKCE was refused, and who can change that. */
export function PkceForbidden() {
  const texts = useTexts('applications').signIn
  return (
    <Alert role="alert" color="brass" variant="light" title={texts.forbiddenTitle} icon={<Icon name="shield" />}>
      <Text size="sm">{texts.forbidden}</Text>
    </Alert>
  )
}
