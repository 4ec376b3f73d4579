import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { DeviceDetails } from '../api/shapes.ts'
import { ScopeList } from '../consent/ScopeList.tsx'
import { useSubmit } from '../lib/use-submit.ts'
import { deviceWithCode, loginWithReturn, paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useAskedProof } from '../session/use-asked-proof.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'

// Most devices need no proof.
const ProofForm = lazy(() => import('../session/ProofForm.tsx'))

type Decided = 'allowed' | 'refused'

/** Lets a device in that has no browser. A link may carry the code, but only a click here decides. */
export default function DevicePage() {
  const texts = useTexts('publicPages').device
  const [code, setCode] = useState(new URLSearchParams(location.search).get('user_code') ?? '')
  const [details, setDetails] = useState<DeviceDetails>()
  const [decided, setDecided] = useState<Decided>()

  async function find(typed: string): Promise<void> {
    try {
      const found = await answer(api.GET('/oauth/device/details', { params: { query: { user_code: typed } } }))
      actAs(found.user.id)
      setCode(typed)
      setDetails(found)
    } catch (error) {
      if (!isStatus(error, 401)) throw error
      location.replace(loginWithReturn(deviceWithCode(typed)))
    }
  }

  if (decided !== undefined) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={decided === 'allowed' ? texts.allowedTitle : texts.refusedTitle}>
          {decided === 'allowed' ? texts.allowed : texts.refused}
        </PublicHeading>
        <Button component="a" href={paths.applications} size="md" variant="default">
          {texts.toApplications}
        </Button>
      </Stack>
    )
  }
  if (details) return <DeviceDecision code={code} details={details} onDecided={setDecided} />
  return <CodeForm initial={code} find={find} />
}

/** Asks for the code that the device shows. One in the address is looked up at once. */
export function CodeForm({ initial, find }: { initial: string; find: (code: string) => Promise<void> }) {
  const texts = useTexts('publicPages').device
  const form = useSubmitForm({ initialValues: { code: initial }, submit: ({ code }) => find(code.trim()) })
  const { send } = form
  const isSent = useRef(initial === '')
  useEffect(() => {
    if (!isSent.current) send()
    isSent.current = true
  }, [send])
  return (
    <Form form={form}>
      <Stack gap="lg">
        <PublicHeading title={texts.enterTitle}>{texts.enterText}</PublicHeading>
        <FailureAlert failure={form.unplaced} />
        <TextInput
          label={texts.code}
          placeholder="XXXX-XXXX"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          required
          withAsterisk={false}
          maxLength={64}
          {...form.getInputProps('code')}
        />
        <Button type="submit" size="md" fullWidth loading={form.busy}>
          {texts.next}
        </Button>
      </Stack>
    </Form>
  )
}

type DeviceDecisionProps = { code: string; details: DeviceDetails; onDecided: (decided: 'allowed' | 'refused') => void }

/** Everything that helps to tell one's own device from a stranger's, and the decision. */
export function DeviceDecision({ code, details, onDecided }: DeviceDecisionProps) {
  const { device, consent } = useTexts('publicPages')
  const { name, ipAddress, geolocation, sameNetwork } = details.device
  const asked = useAskedProof()
  const { stepUp, cancel } = useTexts('proof')
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
      {asked ? (
        <Suspense fallback={null}>
          <ProofForm {...asked} email={details.user.email} text={stepUp} onProven={() => asked.onEnd(true)}>
            <Button variant="subtle" onClick={() => asked.onEnd(false)}>
              {cancel}
            </Button>
          </ProofForm>
        </Suspense>
      ) : (
        <>
          <FailureAlert failure={decision.failure} />
          <Group grow gap="sm">
            <Button size="md" variant="default" disabled={decision.busy} onClick={() => decision.run(false)}>
              {device.refuse}
            </Button>
            <Button size="md" loading={decision.busy} onClick={() => decision.run(true)}>
              {device.allow}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

/** As the device shows it, however it was typed. */
function asShown(code: string): string {
  const letters = code.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}
