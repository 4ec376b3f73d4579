import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deviceIcon, deviceName } from '../../../dashboard/src/lib/user-agent.ts'

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const CHROME_ON_ANDROID = `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`

describe('the name of a device', () => {
  test('is the browser and the operating system, although browsers also claim to be other browsers', () => {
    const agents: [string, string][] = [
      [`${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`, 'Chrome, Windows'],
      [`${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, 'Edge, Windows'],
      [`${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 OPR/115.0.0.0`, 'Opera, Windows'],
      [`${MAC} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Vivaldi/7.0`, 'Vivaldi, macOS'],
      [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, 'Safari, macOS'],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox, Linux'],
      [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`, 'Chrome, ChromeOS'],
      [CHROME_ON_ANDROID, 'Chrome, Android'],
      [CHROME_ON_ANDROID.replace('Chrome/', 'SamsungBrowser/27.0 Chrome/'), 'Samsung Internet, Android'],
      [`${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1`, 'Safari, iPhone'],
      [`${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1`, 'Chrome, iPhone'],
      [
        `${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15`,
        'Firefox, iPhone',
      ],
      [`${IPHONE} AppleWebKit/605.1.15 (KHTML, like Gecko) EdgiOS/131.0 Mobile/15E148 Safari/605.1.15`, 'Edge, iPhone'],
    ]
    for (const [agent, name] of agents) assert.equal(deviceName(agent), name)
  })

  test('is the browser or the system alone when only one of them is known', () => {
    assert.equal(deviceName('curl/8.10.1'), 'curl')
    assert.equal(deviceName('SomeApp/1.0 (Windows)'), 'Windows')
  })

  test('is the start of the User-Agent header when neither is known', () => {
    assert.equal(deviceName('python-requests/2.32'), 'python-requests/2.32')
    assert.equal(deviceName('x'.repeat(500)), 'x'.repeat(60))
  })

  test('is undefined without a User-Agent header', () => {
    assert.equal(deviceName(null), undefined)
    assert.equal(deviceName(''), undefined)
  })
})

describe('the icon of a device', () => {
  test('is a phone for phones only', () => {
    assert.equal(deviceIcon(IPHONE), 'phone')
    assert.equal(deviceIcon(CHROME_ON_ANDROID), 'phone')
    assert.equal(deviceIcon(CHROME_ON_ANDROID.replace(' Mobile', '')), 'laptop', 'an Android tablet')
    assert.equal(deviceIcon(MAC), 'laptop')
    assert.equal(deviceIcon(null), 'laptop')
  })
})
