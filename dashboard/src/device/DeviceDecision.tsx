import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { answer, api } from '../api/client.ts'
import type { DeviceDetails } from '../api/shapes.ts'
import { ScopeList } from '../consent/ScopeList.tsx'
import { useSubmit } from '../lib/use-submit.ts'
import { deviceWithCode, loginWithReturn } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicHeading.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Icon } from '../ui/Icon.tsx'

type Props = { code: string; details: DeviceDetails; onDecided: (decided: 'allowed' | 'refused') => void }

/** Everything that helps to tell one's own device from a stranger's, and the decision. */
export function DeviceDecision({ code, details, onDecided }: Props) {
  const { device, consent } = useTexts('publicPages')
  const { name, ipAddress, geolocation, sameNetwork } = details.device
  const place = [geolocation.city, geolocation.region, geolocation.country].filter((each) => each !== null).join(', ')
  const decision = useSubmit(async (approve: boolean) => {
    await answer(api.POST('/oauth/device/approve', { body: { user_code: code, approve } }))
    onDecided(approve ? 'allowed' : 'refused')
  })
  return (
    <Stack gap="lg">
      <PublicHeading title={device.title(details.name)}>
        {consent.asUser(details.user.email)}{' '}
        <Anchor size="sm" href={loginWithReturn(deviceWithCode(code))} underline="always">
          {consent.switchUser}
        </Anchor>
      </PublicHeading>
      <Stack gap={4} align="center">
        <Text size="sm">{device.compare}</Text>
        <Text ff="monospace" fz={28} fw={600} lts={2} aria-label={device.code}>
          {asShown(code)}
        </Text>
      </Stack>
      <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">{name === null ? device.unnamed : device.named(name)}</Text>
        <Text size="sm">{place === '' ? device.from(ipAddress) : device.fromPlace(ipAddress, place)}</Text>
      </Stack>
      {!sameNetwork && (
        <Alert role="alert" color="brass" variant="light" title={device.otherNetworkTitle} icon={<Icon name="alert" />}>
          <Text size="sm">{device.otherNetwork}</Text>
        </Alert>
      )}
      <Stack gap="xs">
        <Text fw={600} size="sm" id="device-scopes">
          {device.will}
        </Text>
        <ScopeList scopes={details.scopes} labelledBy="device-scopes" />
      </Stack>
      <Text size="sm" c="dimmed">
        {device.onlyYours}
      </Text>
      <FailureAlert failure={decision.failure} />
      <Group grow gap="sm">
        <Button size="md" variant="default" disabled={decision.busy} onClick={() => decision.run(false)}>
          {device.refuse}
        </Button>
        <Button size="md" loading={decision.busy} onClick={() => decision.run(true)}>
          {device.allow}
        </Button>
      </Group>
    </Stack>
  )
}

/** As the device shows it, however it was typed. */
function asShown(code: string): string {
  const letters = code.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}
