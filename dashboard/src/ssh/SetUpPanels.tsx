import { Anchor, List, Stack, Text } from '@mantine/core'
import { endpoints } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Section } from '../ui/Section.tsx'

const clientScript = `${location.origin}${endpoints.sshClientSetup}`

/** How a person's own machine gets certificates by itself. */
export function MachinePanel() {
  const texts = useTexts('ssh').machine
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <CodeBlock label={texts.command} value={`curl -fsS ${clientScript} | sh`} />
        <Text size="sm">{texts.does}</Text>
        <List size="sm" spacing={4}>
          {texts.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <Text size="sm">
          <Anchor href={clientScript} target="_blank" rel="noreferrer" underline="always">
            {texts.read}
          </Anchor>
        </Text>
        <CodeBlock label={texts.uninstall} value="latchkey-ssh uninstall" />
      </Stack>
    </Section>
  )
}

const hostScript = `${location.origin}${endpoints.sshHostSetup}`

export function HostsPanel() {
  const texts = useTexts('ssh').hosts
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <CodeBlock label={texts.command} value={`curl -fsS ${hostScript} | sudo sh`} />
        <Text size="sm">{texts.does}</Text>
        <List size="sm" spacing={4}>
          {texts.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <Text size="sm">
          <Anchor href={hostScript} target="_blank" rel="noreferrer" underline="always">
            {texts.read}
          </Anchor>
        </Text>
        <CodeBlock label={texts.ca} value={`curl -fsS ${location.origin}${endpoints.sshCa}`} />
        <CodeBlock
          label={texts.krl}
          value={`curl -fsS '${location.origin}${endpoints.sshKrl}?format=krl' -o revoked_keys`}
        />
        <CodeBlock label={texts.remove} value={`curl -fsS ${hostScript} | sudo sh -s -- --remove`} />
      </Stack>
    </Section>
  )
}
