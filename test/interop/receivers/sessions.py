import json


def end_sessions(sub, sid):
    print(json.dumps({'sub': sub} if sid is None else {'sub': sub, 'sid': sid}), flush=True)
