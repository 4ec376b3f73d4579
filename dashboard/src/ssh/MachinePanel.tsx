import { Anchor, List, Stack, Text } from '@mantine/core'
import { endpoints } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Section } from '../ui/Section.tsx'

const script = `${location.origin}${endpoints.sshClientSetup}`

/** How a person's own machine gets certificates by itself. */
export function MachinePanel() {
  const texts = useTexts('ssh').machine
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <CodeBlock label={texts.command} value={`curl -fsS ${script} | sh`} />
        <Text size="sm">{texts.does}</Text>
        <List size="sm" spacing={4}>
          {texts.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <Text size="sm">
          <Anchor href={script} target="_blank" rel="noreferrer" underline="always">
            {texts.read}
          </Anchor>
        </Text>
        <CodeBlock label={texts.uninstall} value="latchkey-ssh uninstall" />
      </Stack>
    </Section>
  )
}
