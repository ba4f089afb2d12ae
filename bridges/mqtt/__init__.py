"""The bridge to an MQTT broker, with entities for Home Assistant.

    service ──AsyncSubscriber──► Mirror: what the broker is to hold ──► Bridge ──MQTT 5, TLS──► broker

A retained message outlives the client that published it, so a broker shows an old result to each client that subscribes
later, unless something takes it away. Three things do, each for another death:

    the bridge ends, or its link is cut    the broker publishes the last will: no table is live
    broker and bridge end together         what is retained expires: it is renewed each `RENEW_NS`, else gone
    the service of a table ends            its state and the status state so, within 3 s
"""
