"""The site of leagues: pages, JSON and downloads, as a server shows them or as files for any web host.

Theory of operation. A `Hall` knows the leagues, and has an `Exhibit` for each. An exhibit reads the league's store,
only what is new, in one thread for all leagues, and publishes an `Edition`: a picture of the league that never changes.
Pages are pure functions of an edition, and the texts of an edition's pages are kept until the next one. So what a
viewer costs does not depend on how many results there are, and the league sees a reader of its file now and then.

`table` has all addresses: the server, the OpenAPI document and the static files are made from it. Links are relative,
so the same page works on a server and as a file. Markup is made by the report's `tag`, which escapes.
"""
