import { Alert, Badge, Text } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { pkceState } from './client-kind.ts'

/** Marks an application that has an exception from PKCE, and says when it no longer uses it. */
export function PkceBadge({ application }: { application: Client }) {
  const texts = useTexts('applications').signIn
  const state = pkceState(application)
  if (state === 'required') return null
  return (
    <Badge component="span" size="sm" variant="light" color={state === 'unused' ? 'pine' : 'brass'}>
      {state === 'unused' ? texts.badgeUnused : texts.badgeOptional}
    </Badge>
  )
}

/** Says why an exception from PKCE was refused, and who can change that. */
export function PkceForbidden() {
  const texts = useTexts('applications').signIn
  return (
    <Alert role="alert" color="brass" variant="light" title={texts.forbiddenTitle} icon={<Icon name="shield" />}>
      <Text size="sm">{texts.forbidden}</Text>
    </Alert>
  )
}
