import { Button, Code, Stack, Text } from '@mantine/core'
import type { IssuedCertificate } from '../api/shapes.ts'
import { download } from '../lib/download.ts'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Section } from '../ui/Section.tsx'

// OpenSSH looks for a certificate under the private key's name with this ending.
const FILE = 'id_ed25519-cert.pub'

export function IssuedCertificateCard({ issued }: { issued: IssuedCertificate }) {
  const texts = useTexts('ssh').issue
  const { download: label } = useTexts('shared')
  const format = useFormat()
  const line = `${issued.certificate.trim()}\n`
  return (
    <Section
      title={texts.doneTitle}
      description={`${texts.validUntil} ${format.dateTime(issued.validBefore * 1000)} · ${texts.serial} ${issued.serial}`}
    >
      <Stack role="status">
        <Text size="sm">
          {texts.saveAs} <Code>~/.ssh/{FILE}</Code>
        </Text>
        <CodeBlock
          label={texts.certificate}
          value={line}
          wrap
          actions={
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={14} />}
              onClick={() => download(FILE, line)}
            >
              {label}
            </Button>
          }
        />
        <CodeBlock
          label={texts.command}
          value={`ssh -i ~/.ssh/id_ed25519 -o CertificateFile=~/.ssh/${FILE} ${issued.principals[0] ?? 'you'}@host.example.com`}
        />
      </Stack>
    </Section>
  )
}
