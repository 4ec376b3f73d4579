-- Asks Latchkey whether to let a request through: /etc/haproxy/latchkey.lua, for HAProxy 2.6 and newer.
local PASSED = {
    "accept", "accept-language", "authorization", "cookie", "origin", "referer", "sec-fetch-mode", "sec-fetch-site",
    "user-agent", "x-requested-with",
}
-- These are about the connection to Latchkey.
local NOT_PASSED = { ["connection"] = true, ["content-length"] = true, ["keep-alive"] = true, ["transfer-encoding"] = true }

local function answer(txn, answered)
    local reply = txn:reply()
    reply:set_status(answered.status)
    for name, values in pairs(answered.headers or {}) do
        if not NOT_PASSED[name] then
            for _, value in pairs(values) do reply:add_header(name, value) end
        end
    end
    reply:set_body(answered.body or "")
    txn:done(reply)
end

-- Where Latchkey is, the host of the site as it is written out, and the headers that name the visitor, with commas between them.
core.register_action("latchkey", { "http-req" }, function(txn, latchkey, host, names)
    local given, sent = txn.http:req_get_headers(), {}
    for _, name in ipairs(PASSED) do
        if given[name] then
            sent[name] = {}
            for _, value in pairs(given[name]) do table.insert(sent[name], value) end
        end
    end
    sent["x-forwarded-method"] = { txn.sf:method() }
    sent["x-forwarded-proto"] = { "https" }
    sent["x-forwarded-host"] = { host }
    sent["x-forwarded-uri"] = { txn.sf:pathq() }
    sent["x-forwarded-for"] = { txn.sf:src() }
    local url = "http://" .. latchkey .. "/api/authz/forward-auth"
    -- HAProxy asks up to four times, so this is a quarter of the whole wait in milliseconds.
    local asked, answered = pcall(function()
        return core.httpclient():get({ url = url, headers = sent, timeout = 2500 })
    end)
    -- Where no answer comes, HAProxy makes one of 500 or above itself.
    if not asked or not answered or not answered.status or answered.status < 200 or answered.status >= 500 then
        return answer(txn, { status = 503 })
    end
    if answered.status ~= 200 then return answer(txn, answered) end
    -- All of them: an answer without one must not leave that of the visitor.
    local named = {}
    for name in names:gmatch("[^,]+") do
        local values = answered.headers[name:lower()]
        named[name] = values and values[0] or ""
        txn.http:req_set_header(name, named[name])
    end
    -- Beside many other headers there may be no room for one, and HAProxy leaves it out without an error.
    local present = txn.http:req_get_headers()
    for name, value in pairs(named) do
        local values = present[name:lower()]
        if not values or values[0] ~= value or values[1] then return answer(txn, { status = 503 }) end
    end
    -- The configuration lets no request through without this: HAProxy goes on when a script fails.
    txn:set_var("txn.latchkey", true)
end, 3)
