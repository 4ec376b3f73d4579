import { Alert, Button, Code, ColorInput, Group, Paper, Radio, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Settings, SettingsChanges } from '../../api/shapes.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { endpoints } from '../../paths.ts'
import { useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { contrastOf, ENOUGH_CONTRAST } from './contrast.ts'

/** What administrators change while the service runs. What its environment sets is shown as fixed. */
export function SettingsPage() {
  const texts = useTexts('admin').settings
  const query = useQuery(settingsQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query}>
        {({ settings, fixed }) => (
          <>
            <InstallationForm settings={settings} fixed={fixed} />
            <LogoSection settings={settings} />
            <RegistrationForm settings={settings} fixed={fixed} />
            <MailTestSection />
          </>
        )}
      </QueryView>
    </>
  )
}

export const settingsQuery = queryOptions({
  queryKey: ['admin', 'settings'],
  queryFn: () => answer(api.GET('/api/admin/settings')),
})

/** Each form sends only its own settings, so that it undoes nothing of the others. */
export function useSaveSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SettingsChanges) => answer(api.PATCH('/api/admin/settings', { body })),
    onSuccess: (saved) => client.setQueryData(settingsQuery.queryKey, saved),
  })
}

type InstallationFormProps = { settings: Settings; fixed: readonly string[] }

/** How the service is called and coloured. */
export function InstallationForm({ settings, fixed }: InstallationFormProps) {
  const texts = useTexts('admin').settings
  const save = useSaveSettings()
  const touched = useTouched(save)
  const [name, setName] = useState(settings.name)
  const [accentColor, setAccentColor] = useState(settings.accentColor ?? '')
  const isNameFixed = fixed.includes('name')
  const ratio = contrastOf(accentColor, '#ffffff')
  const isColour = accentColor === '' || ratio !== undefined
  const isReadable = accentColor === '' || (ratio ?? 0) >= ENOUGH_CONTRAST
  const colourProblem = isColour ? (isReadable ? undefined : texts.tooLight) : texts.noColour

  return (
    <Section title={texts.installation} description={texts.installationText}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          if (save.isPending || colourProblem) return
          save.mutate({
            ...(isNameFixed || name.trim() === settings.name ? {} : { name: name.trim() }),
            ...(accentColor === (settings.accentColor ?? '') ? {} : { accentColor: accentColor || null }),
          })
        }}
      >
        <Stack>
          <TextInput
            label={texts.name}
            description={isNameFixed ? texts.fixed('RP_NAME') : texts.nameHint}
            maxLength={64}
            readOnly={isNameFixed}
            disabled={isNameFixed}
            error={issueAt(save.error, 'name')}
            value={name}
            onChange={(event) => {
              save.reset()
              setName(event.currentTarget.value)
            }}
          />
          <ColorInput
            label={texts.accentColor}
            description={texts.accentColorHint}
            size="md"
            format="hex"
            withEyeDropper={false}
            placeholder="#15675c"
            swatches={['#15675c', '#1d4e89', '#5b3a8c', '#8c2f4b', '#7c5716', '#343e3e']}
            closeOnColorSwatchClick
            error={issueAt(save.error, 'accentColor') ?? colourProblem}
            value={accentColor}
            onChange={(colour) => {
              save.reset()
              setAccentColor(colour)
            }}
          />
          {ratio !== undefined && (
            <Group gap="sm">
              <Paper px="md" py={6} style={{ background: accentColor, color: '#ffffff' }}>
                <Text size="sm" fw={550} c="#ffffff" aria-hidden>
                  {texts.sample}
                </Text>
              </Paper>
              <Text size="sm" role="status">
                {texts.contrast(ratio.toFixed(1), ENOUGH_CONTRAST)}
              </Text>
            </Group>
          )}
          <FailureAlert failure={beyondFields(save.error, ['name', 'accentColor'])} />
          <SaveButton save={save} disabled={colourProblem !== undefined} />
        </Stack>
      </form>
    </Section>
  )
}

export function LogoSection({ settings }: { settings: Settings }) {
  const texts = useTexts('admin').settings
  const { pictureHint } = useTexts('account').profile
  const client = useQueryClient()
  return (
    <Section title={texts.logo} description={`${texts.logoHint} ${pictureHint}`}>
      <PictureEditor
        preview={<ApplicationLogo name={settings.name} logoUrl={settings.logoUrl} size={88} />}
        hasPicture={settings.logoUrl !== null}
        address={endpoints.settingsLogo}
        onRemove={() => answer(api.DELETE('/api/admin/settings/logo'))}
        onChanged={() => client.invalidateQueries({ queryKey: settingsQuery.queryKey })}
      />
    </Section>
  )
}

type RegistrationFormProps = { settings: Settings; fixed: readonly string[] }

const KINDS = ['open', 'invite'] as const

/** What was pasted may hold several, and whole addresses begin with an @. */
const domainsIn = (names: string[]): string[] => [
  ...new Set(names.flatMap((name) => name.toLowerCase().split(/[\s,;@]+/)).filter(Boolean)),
]

/** Who gets an account. */
export function RegistrationForm({ settings, fixed }: RegistrationFormProps) {
  const texts = useTexts('admin').settings
  const save = useSaveSettings()
  const touched = useTouched(save)
  const [registration, setRegistration] = useState(settings.registration)
  const [domains, setDomains] = useState(settings.allowedEmailDomains)
  const isFixed = fixed.includes('registration')
  return (
    <Section title={texts.registration} description={texts.registrationText}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          if (save.isPending) return
          save.mutate({
            ...(isFixed || registration === settings.registration ? {} : { registration }),
            ...(domains.join() === settings.allowedEmailDomains.join() ? {} : { allowedEmailDomains: domains }),
          })
        }}
      >
        <Stack>
          <Radio.Group
            label={texts.who}
            description={isFixed ? texts.fixed('REGISTRATION') : undefined}
            error={issueAt(save.error, 'registration')}
            value={registration}
            onChange={(value) => {
              save.reset()
              setRegistration(KINDS.find((kind) => kind === value) ?? 'invite')
            }}
          >
            <Stack gap="xs" mt={6}>
              {KINDS.map((kind) => (
                <Radio
                  key={kind}
                  value={kind}
                  label={texts.registrations[kind].title}
                  description={texts.registrations[kind].text}
                  disabled={isFixed}
                />
              ))}
            </Stack>
          </Radio.Group>
          <TagsInput
            label={texts.domains}
            description={texts.domainsHint}
            size="md"
            placeholder={domains.length === 0 ? 'example.com' : ''}
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            maxTags={100}
            error={issueAt(save.error, 'allowedEmailDomains')}
            value={domains}
            onChange={(names) => {
              save.reset()
              setDomains(domainsIn(names))
            }}
          />
          <FailureAlert failure={beyondFields(save.error, ['registration', 'allowedEmailDomains'])} />
          <SaveButton save={save} />
        </Stack>
      </form>
    </Section>
  )
}

/** Sends a mail to whoever asks, and shows what the mail server said. */
export function MailTestSection() {
  const texts = useTexts('admin').settings
  const { user } = useMe()
  const test = useMutation({ mutationFn: () => answer(api.POST('/api/admin/settings/mail-test')) })
  return (
    <Section title={texts.mail} description={texts.mailText(user.email)}>
      <Stack align="flex-start">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.mailSubmit}
        </Button>
        <FailureAlert failure={test.error} />
        {test.data && (
          <Alert
            role="status"
            color={test.data.sent ? 'pine' : 'red'}
            variant="light"
            title={test.data.sent ? texts.mailSent : texts.mailFailed}
          >
            <Text size="sm">{texts.mailAnswer}</Text>
            <Code block mt={4}>
              {test.data.answer}
            </Code>
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
