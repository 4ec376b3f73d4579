import {
  Alert,
  Button,
  Code,
  ColorInput,
  Group,
  Paper,
  Radio,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { MailTest, Settings, SettingsChanges } from '../../api/shapes.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { endpoints } from '../../paths.ts'
import { useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, type SubmitForm, useSubmitForm } from '../../ui/Form.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
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
            <FreshSignInForm settings={settings} />
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

type Options<Values extends Record<string, unknown>> = {
  initialValues: Values
  validate?: (values: Values) => Record<string, string>
  changes: (values: Values) => SettingsChanges
}

/** Each form sends only its own settings, so that it undoes nothing of the others. */
export function useSettingsForm<Values extends Record<string, unknown>>(options: Options<Values>): SubmitForm<Values> {
  const { initialValues, validate, changes } = options
  const client = useQueryClient()
  return useSubmitForm({
    initialValues,
    browserChecks: false,
    ...(validate ? { validate } : {}),
    async submit(values) {
      const saved = await answer(api.PATCH('/api/admin/settings', { body: changes(values) }))
      client.setQueryData(settingsQuery.queryKey, saved)
    },
  })
}

type InstallationFormProps = { settings: Settings; fixed: readonly string[] }

/** How the service is called and coloured. */
export function InstallationForm({ settings, fixed }: InstallationFormProps) {
  const texts = useTexts('admin').settings
  const isNameFixed = fixed.includes('name')
  const problemOf = (colour: string) => {
    const ratio = contrastOf(colour, '#ffffff')
    if (colour === '') return undefined
    return ratio === undefined ? texts.noColour : ratio < ENOUGH_CONTRAST ? texts.tooLight : undefined
  }
  const form = useSettingsForm({
    initialValues: { name: settings.name, accentColor: settings.accentColor ?? '' },
    changes: ({ name, accentColor }) => ({
      ...(isNameFixed || name.trim() === settings.name ? {} : { name: name.trim() }),
      ...(accentColor === (settings.accentColor ?? '') ? {} : { accentColor: accentColor || null }),
    }),
  })
  const { accentColor } = form.values
  const ratio = contrastOf(accentColor, '#ffffff')
  const problem = problemOf(accentColor)

  return (
    <Section title={texts.installation} description={texts.installationText}>
      <Form form={form}>
        <Stack>
          <TextInput
            label={texts.name}
            description={isNameFixed ? texts.fixed('RP_NAME') : texts.nameHint}
            maxLength={64}
            readOnly={isNameFixed}
            disabled={isNameFixed}
            {...form.getInputProps('name')}
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
            {...form.getInputProps('accentColor')}
            {...(problem === undefined ? {} : { error: problem })}
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
          <FailureAlert failure={form.unplaced} />
          <SaveButton form={form} disabled={problem !== undefined} />
        </Stack>
      </Form>
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
  const isFixed = fixed.includes('registration')
  const form = useSettingsForm({
    initialValues: { registration: settings.registration, allowedEmailDomains: settings.allowedEmailDomains },
    changes: ({ registration, allowedEmailDomains }) => ({
      ...(isFixed || registration === settings.registration ? {} : { registration }),
      ...(allowedEmailDomains.join() === settings.allowedEmailDomains.join() ? {} : { allowedEmailDomains }),
    }),
  })
  return (
    <Section title={texts.registration} description={texts.registrationText}>
      <Form form={form}>
        <Stack>
          <Radio.Group
            label={texts.who}
            description={isFixed ? texts.fixed('REGISTRATION') : undefined}
            {...form.getInputProps('registration')}
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
            placeholder={form.values.allowedEmailDomains.length === 0 ? 'example.com' : ''}
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            maxTags={100}
            {...form.getInputProps('allowedEmailDomains')}
            onChange={(names) => form.setFieldValue('allowedEmailDomains', domainsIn(names))}
          />
          <FailureAlert failure={form.unplaced} />
          <SaveButton form={form} />
        </Stack>
      </Form>
    </Section>
  )
}

/** Whether an open session is enough for acts that give access. */
export function FreshSignInForm({ settings }: { settings: Settings }) {
  const texts = useTexts('admin').settings
  const form = useSettingsForm({
    initialValues: { freshSignIn: settings.freshSignIn },
    changes: ({ freshSignIn }) => ({ freshSignIn }),
  })
  return (
    <Section title={texts.freshSignIn} description={texts.freshSignInText}>
      <Form form={form}>
        <Stack>
          <Switch label={texts.freshSignInLabel} {...form.getInputProps('freshSignIn', { type: 'checkbox' })} />
          <FailureAlert failure={form.unplaced} />
          <SaveButton form={form} />
        </Stack>
      </Form>
    </Section>
  )
}

/** Sends a mail to whoever asks, and shows what the mail server said. */
export function MailTestSection() {
  const texts = useTexts('admin').settings
  const { user } = useMe()
  const [result, setResult] = useState<MailTest>()
  const test = useSubmit(async () => {
    setResult(undefined)
    setResult(await answer(api.POST('/api/admin/settings/mail-test')))
  })
  return (
    <Section title={texts.mail} description={texts.mailText(user.email)}>
      <Stack align="flex-start">
        <Button variant="default" loading={test.busy} onClick={() => test.run()}>
          {texts.mailSubmit}
        </Button>
        <FailureAlert failure={test.failure} />
        {result && (
          <Alert
            role="status"
            color={result.sent ? 'pine' : 'red'}
            variant="light"
            title={result.sent ? texts.mailSent : texts.mailFailed}
          >
            <Text size="sm">{texts.mailAnswer}</Text>
            <Code block mt={4}>
              {result.answer}
            </Code>
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
